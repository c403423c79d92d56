import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { createHealthMetrics } from "./healthMetrics.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates all metrics of the service in one registry, which `/metrics` serves; `collectProcessMetrics` adds those of Node.
 * A new metric is one entry here or in its group below.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    ...createRequestMetrics(registers),
    ...createHealthMetrics(registers),
    ...createReplicaMetrics(registers),
    ...createHistoryMetrics(registers),
    ...createLiveMetrics(registers),
    ...createIndexMetrics(registers),
    ...createListingMetrics(registers),
    ...createMarketMetrics(registers),
    manifestVerified: new Gauge({
      name: "slipway_manifest_verified",
      help: "1 when the chain is verified against the pinned manifest, else 0",
      registers,
    }),
    ...createGasMetrics(registers),
    ...createPaymentMetrics(registers),
    ...createImageMetrics(registers),
    tokenListLeftOut: new Gauge({
      name: "slipway_token_list_left_out",
      help: "Launches that are not in the token list because its schema refuses their name, symbol or decimals",
      registers,
    }),
    forecasts: new Counter({
      name: "slipway_forecasts_total",
      help: "Forecasts that were charged, by outcome: done, failed (refunded), lost (refunded after their process ended)",
      labelNames: ["outcome"],
      registers,
    }),
    mails: new Counter({
      name: "slipway_mails_total",
      help: "Attempts to send a mail by outcome: sent, delayed, failed",
      labelNames: ["outcome"],
      registers,
    }),
    alertsFired: new Counter({ name: "slipway_alerts_fired_total", help: "Alerts whose mail was queued", registers }),
    ...createKeeperMetrics(registers),
    ...createWebhookMetrics(registers),
    sourceVerifications: new Counter<"outcome">({
      name: "slipway_source_verifications_total",
      help: "Verifications of sources by outcome: verified, not_verified, or unavailable (a request without a usable answer)",
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

/** Requests, and what refused them. */
function createRequestMetrics(registers: Registry[]) {
  return {
    httpDuration: new Histogram({
      name: "slipway_http_request_duration_seconds",
      help: "Duration of requests in seconds",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    refused: new Counter<"via" | "code">({
      name: "slipway_refused_total",
      help: "Refused input of callers by error code and kind: request, connection (bytes that are not an HTTP request), handshake or message of a WebSocket",
      labelNames: ["via", "code"],
      registers,
    }),
    shedRequests: new Counter({
      name: "slipway_shed_requests_total",
      help: "Requests rejected because the process is overloaded, by the exhausted resource",
      labelNames: ["reason"],
      registers,
    }),
    connectionsClosed: new Counter<"reason">({
      name: "slipway_connections_closed_total",
      help: "Connections closed by a limit: of their address, or near the maximum of the process",
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
      help: "Batches taken from rate limits by outcome: shared through the database, or local to the process while the database does not respond",
      labelNames: ["outcome"],
      registers,
    }),
  };
}

/** The gas station and its relayer. */
function createGasMetrics(registers: Registry[]) {
  return {
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
  };
}

/** Pictures. */
function createImageMetrics(registers: Registry[]) {
  return {
    tokenImages: new Counter({
      name: "slipway_token_images_total",
      help: "Attempts to process the picture of a token by outcome: processed, failed",
      labelNames: ["outcome"],
      registers,
    }),
    imagePins: new Counter({
      name: "slipway_image_pins_total",
      help: "Attempts to pin a picture by outcome: pinned, failed",
      labelNames: ["outcome"],
      registers,
    }),
  };
}

/** The payments of accounts. */
function createPaymentMetrics(registers: Registry[]) {
  return {
    payments: new Counter<"outcome">({
      name: "slipway_payments_total",
      help: "Payments that ended, by outcome: booked, failed (no money was taken), held (money arrived and was not booked)",
      labelNames: ["outcome"],
      registers,
    }),
    paymentsOldest: new Gauge({
      name: "slipway_payments_pending_seconds",
      help: "Age of the oldest payment that is not final, in a process with the role worker; 0 without one",
      registers,
    }),
    paymentsHeld: new Gauge({
      name: "slipway_payments_held",
      help: "Payments whose money arrived and was not booked: the operator decides, in a process with the role worker",
      registers,
    }),
  };
}

/** The keeper of fees, in the process with the role worker. */
function createKeeperMetrics(registers: Registry[]) {
  return {
    keeperClaims: new Counter<"outcome">({
      name: "slipway_keeper_claims_total",
      help: "Claims of the keeper by outcome: sent; when final, paid, failed, or lost (its nonce was used elsewhere)",
      labelNames: ["outcome"],
      registers,
    }),
    keeperChecks: new Counter<"outcome">({
      name: "slipway_keeper_checks_total",
      help: "Checked splitters by outcome: sent, below (the bound), expensive, cap, unconfirmed (by an endpoint), failed",
      labelNames: ["outcome"],
      registers,
    }),
    keeperBalance: new Gauge({
      name: "slipway_keeper_balance_ether",
      help: "Native balance of the keeper, at its last round",
      registers,
    }),
    keeperSpent: new Gauge({
      name: "slipway_keeper_daily_spend_ratio",
      help: "Part of KEEPER_DAILY_CAP_WEI that the claims of the last 24 hours cost, pending ones at their maximum",
      registers,
    }),
    keeperFailing: new Gauge({
      name: "slipway_keeper_failing_splitters",
      help: "Splitters whose checks or claims failed at least three times in a row",
      registers,
    }),
    keeperAlarm: new Gauge<"alarm">({
      name: "slipway_keeper_alarm",
      help: "1 while the keeper sends nothing because of balance_low, gas_price, no_multicall3 or cap_used, otherwise 0",
      labelNames: ["alarm"],
      registers,
    }),
  };
}

/** The messages to webhooks. */
function createWebhookMetrics(registers: Registry[]) {
  return {
    webhookMessages: new Counter({
      name: "slipway_webhook_messages_total",
      help: "Attempts to deliver a message to a webhook by outcome: delivered, delayed (and repeated); expired: dropped after a day",
      labelNames: ["outcome"],
      registers,
    }),
    webhookLag: new Gauge({
      name: "slipway_webhook_lag_seconds",
      help: "Age of the oldest event whose messages to webhooks are not queued yet, in a process with the role worker",
      registers,
    }),
    webhooksDisabled: new Counter({
      name: "slipway_webhooks_disabled_total",
      help: "Webhooks that were disabled because their endpoint failed for three days or is gone",
      registers,
    }),
  };
}

type ReplicaState = { name: string; isUsed: boolean; lagMs: number | null };

/** The replicas of the database, by host and port. */
function createReplicaMetrics(registers: Registry[]) {
  /** Returns the states of the replicas, null without one; set by the owner of the connections. */
  const replica: { status: () => { replicas: readonly ReplicaState[] } | null } = { status: () => null };
  return {
    replica,
    replicaLag: new Gauge({
      name: "slipway_replica_lag_seconds",
      help: "Time for which a replica has been missing changes of the primary; NaN when unknown",
      labelNames: ["replica"],
      registers,
      collect() {
        for (const { name, lagMs } of replica.status()?.replicas ?? []) {
          this.set({ replica: name }, lagMs === null ? Number.NaN : lagMs / 1_000);
        }
      },
    }),
    replicaUsed: new Gauge({
      name: "slipway_replica_used",
      help: "1 for the replica that the reads of this process use, otherwise 0; no 1 when they use the primary",
      labelNames: ["replica"],
      registers,
      collect() {
        for (const { name, isUsed } of replica.status()?.replicas ?? []) this.set({ replica: name }, isUsed ? 1 : 0);
      },
    }),
  };
}

/** The history engine. */
function createHistoryMetrics(registers: Registry[]) {
  /** Returns whether the engine answered the last request, null without one; set by the owner of the client. */
  const historyEngine: { isUp: () => boolean | null } = { isUp: () => null };
  return {
    historyEngine,
    historyUp: new Gauge({
      name: "slipway_history_up",
      help: "1 when the history engine answered the last request of this process, 0 when it failed; absent before the first",
      registers,
      collect() {
        const isUp = historyEngine.isUp();
        // A gauge without labels begins with 0, which would report an engine that does not answer.
        if (isUp === null) this.remove();
        else this.set(isUp ? 1 : 0);
      },
    }),
    historyReads: new Counter<"outcome">({
      name: "slipway_history_reads_total",
      help: "Reads of the history engine by outcome: answered, failed, invalid (rows that the query does not select)",
      labelNames: ["outcome"],
      registers,
    }),
    historyCopiedBlock: new Gauge({
      name: "slipway_history_copied_block",
      help: "Block up to which the history engine has all trades; set by the worker",
      registers,
    }),
  };
}

/** External feeds of listings. */
function createListingMetrics(registers: Registry[]) {
  return {
    listingFeeds: new Counter<"source" | "outcome">({
      name: "slipway_listing_feeds_total",
      help: "Reads of external feeds of listings by source and outcome: stored, unchanged, held_back, failed",
      labelNames: ["source", "outcome"],
      registers,
    }),
    listingFeedStale: new Gauge<"source">({
      name: "slipway_listing_feed_stale",
      help: "1 when the last successful read of an external feed of listings is overdue, else 0",
      labelNames: ["source"],
      registers,
    }),
    listingFeedSkipped: new Gauge<"source">({
      name: "slipway_listing_feed_skipped_entries",
      help: "Entries that the last read of a feed skipped",
      labelNames: ["source"],
      registers,
    }),
    listingFeedError: new Gauge<"source" | "code">({
      name: "slipway_listing_feed_error",
      help: "1 for the error code of the last failed read of an external feed of listings",
      labelNames: ["source", "code"],
      registers,
    }),
  };
}

/** Bars of markets. */
function createMarketMetrics(registers: Registry[]) {
  return {
    marketRequests: new Counter<"exchange" | "outcome">({
      name: "slipway_market_requests_total",
      help: "Requests for bars by exchange and outcome: answered, or the error code",
      labelNames: ["exchange", "outcome"],
      registers,
    }),
    marketBars: new Counter<"exchange" | "outcome">({
      name: "slipway_market_bars_total",
      help: "Bars of exchanges by outcome: added, revised",
      labelNames: ["exchange", "outcome"],
      registers,
    }),
    marketBarsRefused: new Counter<"exchange" | "fault">({
      name: "slipway_market_bars_refused_total",
      help: "Bars of exchanges that were not stored, by fault; jump: a price that waits for confirmation by the next bar",
      labelNames: ["exchange", "fault"],
      registers,
    }),
    marketAge: new Gauge<"pair">({
      name: "slipway_market_age_seconds",
      help: "Seconds since the end of the last stored hour of a market of an exchange",
      labelNames: ["pair"],
      registers,
    }),
  };
}

/** Connections and messages of the live feed. */
function createLiveMetrics(registers: Registry[]) {
  /** Returns the queued bytes; set by the owner of the connections and called when metrics are collected. */
  const unread = { bytes: () => 0 };
  return {
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
    riskComputed: new Counter<"outcome">({
      name: "slipway_risk_computed_total",
      help: "Computations of the risk of a pair by outcome: stored, failed",
      labelNames: ["outcome"],
      registers,
    }),
    riskFramed: new Counter({
      name: "slipway_risk_framed_total",
      help: "Messages about risk that were created, each once for all of its readers",
      registers,
    }),
    riskMessages: new Counter({
      name: "slipway_risk_messages_total",
      help: "Messages about risk sent to WebSocket clients, counted for each client",
      registers,
    }),
    liveSnapshots: new Counter({
      name: "slipway_live_snapshots_total",
      help: "Snapshot messages that replaced the unread messages of a WebSocket client",
      registers,
    }),
  };
}

/** The RPC endpoints and the index. */
function createIndexMetrics(registers: Registry[]) {
  return {
    rpcRequests: new Counter({
      name: "slipway_rpc_requests_total",
      help: "JSON-RPC requests by endpoint number and outcome",
      labelNames: ["endpoint", "method", "outcome"],
      registers,
    }),
    indexedBlock: new Gauge({ name: "slipway_indexed_block", help: "Last block committed by the indexer", registers }),
    rebuildBlock: new Gauge({
      name: "slipway_rebuild_block",
      help: "Last block of the next index, which is built beside the one that is read; 0 while none is built",
      registers,
    }),
    rebuildRatio: new Gauge({
      name: "slipway_rebuild_ratio",
      help: "Part of the blocks that the next index has, from 0 to 1; 0 while none is built",
      registers,
    }),
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
    logChecks: createLogCheckCounter(registers),
    unconfirmedRanges: new Gauge({
      name: "slipway_unconfirmed_ranges",
      help: "Ranges whose logs only one endpoint has reported: unchecked, recent, or different at another endpoint",
      labelNames: ["state"],
      registers,
    }),
    rpcWithoutBlooms: new Gauge({
      name: "slipway_rpc_without_blooms",
      help: "1 when the headers of an endpoint have no usable logs bloom, so that its logs cannot be verified with blooms",
      labelNames: ["endpoint"],
      registers,
    }),
  };
}

/** The outcomes of the checks of the logs of final blocks, by the source of the comparison. */
const logChecks = {
  answers: ["contradicted"],
  bloom: ["complete", "missing", "skipped"],
  endpoints: ["complete", "resolved"],
  count: ["complete", "missing", "different", "endpoint_wrong"],
} as const;

/** Creates the counter with every series at 0, because the first increase of a new series raises no alert. */
function createLogCheckCounter(registers: Registry[]) {
  const counter = new Counter({
    name: "slipway_log_checks_total",
    help: "Checks of the logs of the endpoints by the source of the comparison and the outcome",
    labelNames: ["check", "outcome"],
    registers,
  });
  for (const [check, outcomes] of Object.entries(logChecks))
    for (const outcome of outcomes) counter.inc({ check, outcome }, 0);
  return counter;
}
