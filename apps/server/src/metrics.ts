import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics of a process, in one registry that `/metrics` prints. A new metric is one entry here. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  /** Assigned by the owner of the connections; called when the metrics are collected. */
  const unread = { bytes: () => 0 };
  return {
    registry,
    httpDuration: new Histogram({
      name: "slipway_http_request_duration_seconds",
      help: "Duration of a request",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    shedRequests: new Counter({
      name: "slipway_shed_requests_total",
      help: "Requests refused while the process is overloaded, by cause",
      labelNames: ["reason"],
      registers,
    }),
    rateLimited: new Counter({
      name: "slipway_rate_limited_total",
      help: "Requests refused by a rate limit, by policy",
      labelNames: ["policy"],
      registers,
    }),
    rateLimitSettlements: new Counter({
      name: "slipway_rate_limit_settlements_total",
      help: "Batches taken from rate limits: shared with other processes, or local while PostgreSQL does not answer",
      labelNames: ["outcome"],
      registers,
    }),
    webSockets: new Gauge({ name: "slipway_websockets", help: "Open WebSocket connections", registers }),
    webSocketsClosed: new Counter({
      name: "slipway_websockets_closed_total",
      help: "Closed WebSocket connections, by close code",
      labelNames: ["code"],
      registers,
    }),
    unread,
    webSocketsUnread: new Gauge({
      name: "slipway_websockets_unread_bytes",
      help: "Bytes queued for WebSocket clients that read slowly, of all clients together",
      registers,
      collect() {
        this.set(unread.bytes());
      },
    }),
    liveMessages: new Counter({
      name: "slipway_live_messages_total",
      help: "Messages sent to WebSocket clients, counted per client",
      registers,
    }),
    liveSnapshots: new Counter({
      name: "slipway_live_snapshots_total",
      help: "Snapshot messages sent to WebSocket clients instead of unread messages",
      registers,
    }),
    rpcRequests: new Counter({
      name: "slipway_rpc_requests_total",
      help: "JSON-RPC requests by endpoint number and outcome",
      labelNames: ["endpoint", "method", "outcome"],
      registers,
    }),
    indexedBlock: new Gauge({ name: "slipway_indexed_block", help: "Last block committed by the indexer", registers }),
    headBlock: new Gauge({ name: "slipway_head_block", help: "Newest block of the chain", registers }),
    indexedEvents: new Counter({ name: "slipway_indexed_events_total", help: "Events committed", registers }),
    backfillSecondsLeft: new Gauge({
      name: "slipway_backfill_seconds_left",
      help: "Estimated time until the backfill reaches the head",
      registers,
    }),
    reorgs: new Counter({ name: "slipway_reorgs_total", help: "Reorganisations undone", registers }),
    manifestVerified: new Gauge({
      name: "slipway_manifest_verified",
      help: "1 when the chain was verified against the pinned manifest",
      registers,
    }),
    gasStationFloat: new Gauge({
      name: "slipway_gas_station_float_ether",
      help: "Native that the gas station holds for top-ups",
      registers,
    }),
    relayerBalance: new Gauge({
      name: "slipway_relayer_balance_ether",
      help: "Native that the relayer holds for gas",
      registers,
    }),
    gasTopUps: new Counter({
      name: "slipway_gas_top_ups_total",
      help: "Top-ups by outcome: sent, confirmed, failed, replaced",
      labelNames: ["outcome"],
      registers,
    }),
    tokenManifests: new Counter({
      name: "slipway_token_manifests_total",
      help: "Fetches of token manifests by outcome: fetched, unchanged, failed",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
