import { Counter, Gauge, type Registry } from "prom-client";

/** The use of a pool of database connections. `waiting`: requests that wait for a connection. */
export type PoolUse = { pool: string; used: number; idle: number; waiting: number };

/** The results of the readiness checks by their names, and the seconds that the index lags behind the chain. */
export type ReadinessSummary = { checks: Record<string, boolean>; lagSeconds: number | null };

/** How far this process has read the outbox. */
export type OutboxProgress = {
  /** Seconds since all changes were last read; null before the first time. */
  readAgeSeconds: number | null;
  /** Ids of the outbox that the process knows and has not delivered to its streams; ids have gaps. */
  undelivered: number;
};

/** Bytes of the disk of DATA_DIR. */
export type DiskUse = { freeBytes: number; sizeBytes: number };

/**
 * Reads the state of the parts of a process when its metrics are collected. The owner of a part sets its function; without
 * one, the process has no metric of this part.
 */
export type HealthSources = {
  readiness: (() => Promise<ReadinessSummary>) | null;
  pools: (() => PoolUse[]) | null;
  outbox: (() => OutboxProgress) | null;
  disk: (() => Promise<DiskUse | null>) | null;
};

/** Creates the metrics by which an operator is alerted (deploy/prometheus/rules.yaml). */
export function createHealthMetrics(registers: Registry[]) {
  const health: HealthSources = { readiness: null, pools: null, outbox: null, disk: null };
  return {
    health,
    ...createReadinessMetrics(registers, health),
    ...createDatabaseMetrics(registers, health),
    ...createOutboxMetrics(registers, health),
    ...createDiskMetrics(registers, health),
    indexerLeader: new Gauge<"role">({
      name: "slipway_indexer_leader",
      help: "1 when the indexer of this process leads and writes the index, 0 while it waits for the leader to end",
      labelNames: ["role"],
      registers,
    }),
    rpcConsecutiveFailures: new Gauge<"endpoint">({
      name: "slipway_rpc_endpoint_failures",
      help: "Requests to an RPC endpoint that have failed since its last answer; from 12, the endpoint counts as down",
      labelNames: ["endpoint"],
      registers,
    }),
    jobRuns: new Counter<"job_name" | "outcome">({
      name: "slipway_job_runs_total",
      help: "Runs of the worker's jobs by outcome: done, failed (and repeated)",
      labelNames: ["job_name", "outcome"],
      registers,
    }),
    gasStationAlarm: new Gauge<"alarm">({
      name: "slipway_gas_station_alarm",
      help: "1 for each reason to act for the operator of the gas station: closed, float_low, relayer_low, relayer_high",
      labelNames: ["alarm"],
      registers,
    }),
    gasStationSpent: new Gauge({
      name: "slipway_gas_station_daily_spend_ratio",
      help: "Part of GAS_STATION_DAILY_CAP_WEI that the station spent in the last 24 hours",
      registers,
    }),
  };
}

function createReadinessMetrics(registers: Registry[], health: HealthSources) {
  const indexLag = new Gauge<"role">({
    name: "slipway_index_lag_seconds",
    help: "Seconds of block time by which the index lags behind the chain, as an API process reads it",
    labelNames: ["role"],
    registers,
  });
  const readinessCheck = new Gauge<"check">({
    name: "slipway_readiness_check",
    help: "Result of a check of /readyz in a process with the role api: 1 passed, 0 failed",
    labelNames: ["check"],
    registers,
    async collect() {
      if (health.readiness === null) return;
      const { checks, lagSeconds } = await health.readiness();
      for (const [check, ok] of Object.entries(checks)) this.set({ check }, ok ? 1 : 0);
      indexLag.set({ role: "api" }, lagSeconds ?? Number.NaN);
    },
  });
  return { readinessCheck, indexLag };
}

function createDatabaseMetrics(registers: Registry[], health: HealthSources) {
  return {
    databaseConnections: new Gauge<"pool" | "state">({
      name: "slipway_database_connections",
      help: "Open database connections by pool and state: used, idle",
      labelNames: ["pool", "state"],
      registers,
      collect() {
        for (const { pool, used, idle } of health.pools?.() ?? []) {
          this.set({ pool, state: "used" }, used);
          this.set({ pool, state: "idle" }, idle);
        }
      },
    }),
    databaseWaiting: new Gauge<"pool">({
      name: "slipway_database_waiting_requests",
      help: "Requests that wait for a database connection, by pool",
      labelNames: ["pool"],
      registers,
      collect() {
        for (const { pool, waiting } of health.pools?.() ?? []) this.set({ pool }, waiting);
      },
    }),
  };
}

function createOutboxMetrics(registers: Registry[], health: HealthSources) {
  return {
    outboxReadAge: new Gauge<"role">({
      name: "slipway_outbox_read_age_seconds",
      help: "Seconds since a process with the role api read all changes of the outbox",
      labelNames: ["role"],
      registers,
      collect() {
        if (health.outbox === null) return;
        this.set({ role: "api" }, health.outbox().readAgeSeconds ?? Number.NaN);
      },
    }),
    outboxUndelivered: new Gauge<"role">({
      name: "slipway_outbox_undelivered",
      help: "Ids of the outbox that a process has read and not delivered to its streams; ids have gaps",
      labelNames: ["role"],
      registers,
      collect() {
        if (health.outbox !== null) this.set({ role: "api" }, health.outbox().undelivered);
      },
    }),
  };
}

function createDiskMetrics(registers: Registry[], health: HealthSources) {
  const size = new Gauge<"folder">({
    name: "slipway_disk_size_bytes",
    help: "Size of the disk of DATA_DIR",
    labelNames: ["folder"],
    registers,
  });
  const free = new Gauge<"folder">({
    name: "slipway_disk_free_bytes",
    help: "Free bytes of the disk of DATA_DIR; the database's disk is not measured here",
    labelNames: ["folder"],
    registers,
    async collect() {
      const use = (await health.disk?.()) ?? null;
      if (use === null) return;
      this.set({ folder: "DATA_DIR" }, use.freeBytes);
      size.set({ folder: "DATA_DIR" }, use.sizeBytes);
    },
  });
  return { diskFree: free, diskSize: size };
}
