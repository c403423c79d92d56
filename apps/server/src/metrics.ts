import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics of a process in one registry, which `/metrics` serves. A new metric is one entry here. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  /** Set by the owner of the connections; called when metrics are collected. */
  const unread = { bytes: () => 0 };
  return {
    registry,
    httpDuration: new Histogram({
      name: "slipway_http_request_duration_seconds",
      help: "Duration of requests in seconds",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    shedRequests: new Counter({
      name: "slipway_shed_requests_total",
      help: "Requests rejected because the process is overloaded, by the exhausted resource",
      labelNames: ["reason"],
      registers,
    }),
    rateLimited: new Counter({
      name: "slipway_rate_limited_total",
      help: "Requests rejected by a rate limit",
      labelNames: ["policy"],
      registers,
    }),
    rateLimitSettlements: new Counter({
      name: "slipway_rate_limit_settlements_total",
      help: "Flushes of rate-limit counters: shared in the database, or local to the process because the database does not answer",
      labelNames: ["outcome"],
      registers,
    }),
    webSockets: new Gauge({ name: "slipway_websockets", help: "Open WebSocket connections", registers }),
    webSocketsClosed: new Counter({
      name: "slipway_websockets_closed_total",
      help: "Closed WebSocket connections by close code",
      labelNames: ["code"],
      registers,
    }),
    unread,
    webSocketsUnread: new Gauge({
      name: "slipway_websockets_unread_bytes",
      help: "Total bytes queued for slow WebSocket clients",
      registers,
      collect() {
        this.set(unread.bytes());
      },
    }),
    liveMessages: new Counter({
      name: "slipway_live_messages_total",
      help: "Messages sent to WebSocket clients, counted for each client",
      registers,
    }),
    liveSnapshots: new Counter({
      name: "slipway_live_snapshots_total",
      help: "Snapshot messages that replaced the unread messages of a WebSocket client",
      registers,
    }),
    rpcRequests: new Counter({
      name: "slipway_rpc_requests_total",
      help: "JSON-RPC requests by endpoint number and outcome",
      labelNames: ["endpoint", "method", "outcome"],
      registers,
    }),
    indexedBlock: new Gauge({ name: "slipway_indexed_block", help: "Last block committed by the indexer", registers }),
    headBlock: new Gauge({ name: "slipway_head_block", help: "Newest known block of the chain", registers }),
    indexedEvents: new Counter({
      name: "slipway_indexed_events_total",
      help: "Events committed by the indexer",
      registers,
    }),
    backfillSecondsLeft: new Gauge({
      name: "slipway_backfill_seconds_left",
      help: "Estimated time until the backfill reaches the head",
      registers,
    }),
    reorgs: new Counter({ name: "slipway_reorgs_total", help: "Reorganisations handled by the indexer", registers }),
    manifestVerified: new Gauge({
      name: "slipway_manifest_verified",
      help: "1 when the chain is verified against the pinned manifest, else 0",
      registers,
    }),
    gasStationFloat: new Gauge({
      name: "slipway_gas_station_float_ether",
      help: "Balance of the gas station in ether",
      registers,
    }),
    relayerBalance: new Gauge({
      name: "slipway_relayer_balance_ether",
      help: "Balance of the relayer in ether",
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
      help: "Fetches of off-chain metadata documents by outcome: fetched, unchanged, failed",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
