import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** All metrics of a process, in one registry; `/metrics` prints it. A new metric is one entry here. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpDuration: new Histogram({
      name: "slipway_http_request_duration_seconds",
      help: "Time to answer a request",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    rpcRequests: new Counter({
      name: "slipway_rpc_requests_total",
      help: "JSON-RPC requests by endpoint number and outcome",
      labelNames: ["endpoint", "method", "outcome"],
      registers,
    }),
    indexedBlock: new Gauge({ name: "slipway_indexed_block", help: "Last block committed by the indexer", registers }),
    headBlock: new Gauge({ name: "slipway_head_block", help: "Newest block seen on the chain", registers }),
    indexedEvents: new Counter({ name: "slipway_indexed_events_total", help: "Events committed", registers }),
    backfillSecondsLeft: new Gauge({
      name: "slipway_backfill_seconds_left",
      help: "Estimated time until the backfill reaches the head",
      registers,
    }),
    reorgs: new Counter({ name: "slipway_reorgs_total", help: "Reorganisations undone", registers }),
    manifestVerified: new Gauge({
      name: "slipway_manifest_verified",
      help: "1 when the chain was proven against the pinned manifest",
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
  };
}
