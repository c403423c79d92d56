/**
 * Computes the machines that a large deployment needs, from measured costs of a request, a row and a message.
 *
 * The costs are constants of this file. Each names its measurement; correct it when a benchmark gives another figure.
 * The load and the prices are options, for example `npm run bench -- growth --readers 20000 --core-month 9`.
 */
import { parseArgs } from "node:util";

/** Costs. CPU in milliseconds of one core, sizes in bytes. */
export const measured = {
  /** One process, cached responses at a fixed rate of 480 a second (docs/scaling.md, "Cost"). */
  cachedRequestMs: 0.315,
  /** A response that no cache has: the API's part and PostgreSQL's part (docs/scaling.md, "Cost"). */
  uncachedApiMs: 1.9,
  uncachedDatabaseMs: 1.1,
  /** Delivered messages a second of one core: 2,000 clients with 20 messages a second (bench fanout). */
  deliveriesPerSecond: 40_000,
  /** WebSocket connections of one process at the same latency goal (bench fanout). */
  streamsPerProcess: 10_000,
  /** The polls of an idle process, as a share of a core (docs/scaling.md, "Cost"). */
  idleCores: 0.05,
  /** Swaps a second that one indexer and its primary write on one core (bench index: 30,683 on two cores, halved). */
  swapsPerCoreSecond: 15_000,
  /** An estimate, which no benchmark measures: CPU of a draft, its picture and its prepared transactions. */
  launchMs: 250,
  /** Bytes of a trade with its candles and indexes in PostgreSQL, once ordered (bench history). */
  tradeBytes: 517,
  /** Bytes of a trade with its candles in the column store (bench engine). */
  engineTradeBytes: 219,
};

export type Load = {
  trades: number;
  years: number;
  /** The busiest second, relative to the average second. */
  peakFactor: number;
  readers: number;
  launchesPerMinute: number;
  /** Days of trades in PostgreSQL; older trades are in the column store. */
  recentDays: number;
};

export type Prices = { coreMonth: number; gigabyteMonth: number };

export type Part = { part: string; count: string; reason: string; cores: number; gigabytes: number };

/** A reader has one page open: one stream, one request in 5 s, of which one in 50 is not cached. */
const requestsPerReaderSecond = 1 / 5;
const uncachedShare = 1 / 50;
/** The channels of an open page carry at most this many messages a second: messages of one block are one frame. */
const messagesPerReaderSecond = 2;
/** The share of a core that is planned for work; the rest absorbs bursts and the loss of a machine. */
const planned = 0.5;
const replicas = 2;

/** Computes the parts of a deployment. */
export function computeParts(load: Load): Part[] {
  const perSecond = (load.trades / (load.years * 365 * 86_400)) * load.peakFactor;
  const requests = load.readers * requestsPerReaderSecond;
  const launches = load.launchesPerMinute / 60;
  const streamProcesses = Math.ceil(
    Math.max(
      load.readers / measured.streamsPerProcess,
      (load.readers * messagesPerReaderSecond) / (measured.deliveriesPerSecond * planned),
    ),
  );
  const uncached = requests * uncachedShare;
  const requestCores =
    (requests * (1 - uncachedShare) * measured.cachedRequestMs + uncached * measured.uncachedApiMs) / 1_000;
  const launchCores = (launches * measured.launchMs) / 1_000;
  const requestProcesses = Math.ceil((requestCores + launchCores) / planned);
  const databaseCores = (uncached * measured.uncachedDatabaseMs) / 1_000;
  const recentTrades = (load.trades / (load.years * 365)) * load.recentDays;
  const gigabytes = (trades: number, bytes: number) => (trades * bytes) / 1e9;
  const indexCores = perSecond / measured.swapsPerCoreSecond;
  return [
    {
      part: "API processes for requests",
      count: `${requestProcesses}`,
      reason: `${requests.toFixed(0)} requests and ${launches.toFixed(1)} launches a second`,
      cores: requestProcesses,
      gigabytes: 0,
    },
    {
      part: "API processes for streams",
      count: `${streamProcesses}`,
      reason: `${load.readers} streams, ${load.readers * messagesPerReaderSecond} messages a second`,
      cores: streamProcesses,
      gigabytes: 0,
    },
    {
      part: "indexers",
      count: "2",
      reason: `${perSecond.toFixed(0)} swaps in the busiest second, ${(indexCores * 100).toFixed(0)}% of a core; one waits`,
      cores: 2 * Math.max(1, Math.ceil(indexCores / planned)),
      gigabytes: 0,
    },
    {
      part: "workers",
      count: "2",
      reason: "pictures, mails, history; either can do all jobs",
      cores: 2,
      gigabytes: 0,
    },
    {
      part: "PostgreSQL",
      count: `1 + ${replicas}`,
      reason: `${load.recentDays} days of trades; ${databaseCores.toFixed(2)} cores of uncached reads`,
      cores: (1 + replicas) * Math.max(2, Math.ceil((databaseCores + indexCores) / planned)),
      gigabytes: (1 + replicas) * gigabytes(recentTrades, measured.tradeBytes),
    },
    {
      part: "column store",
      count: "2 shards x 2",
      reason: "every older trade, twice",
      cores: 8,
      gigabytes: 2 * gigabytes(load.trades - recentTrades, measured.engineTradeBytes),
    },
    { part: "load balancers", count: "2", reason: "one takes over the address of the other", cores: 4, gigabytes: 0 },
    { part: "etcd", count: "3", reason: "the choice of the primary (Patroni)", cores: 3, gigabytes: 0 },
  ];
}

/** Formats the parts as a Markdown table with the cost of a month. */
export function formatParts(parts: readonly Part[], prices: Prices): string {
  const cost = (cores: number, gigabytes: number) => cores * prices.coreMonth + gigabytes * prices.gigabyteMonth;
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const cores = parts.reduce((sum, part) => sum + part.cores, 0);
  const gigabytes = parts.reduce((sum, part) => sum + part.gigabytes, 0);
  return [
    row(["part", "number", "reason", "cores", "disk, GB", "USD a month"]),
    row(["---", "---", "---", "---", "---", "---"]),
    ...parts.map((part) =>
      row([
        part.part,
        part.count,
        part.reason,
        `${part.cores}`,
        part.gigabytes.toFixed(0),
        cost(part.cores, part.gigabytes).toFixed(0),
      ]),
    ),
    row(["total", "", "", `${cores}`, gigabytes.toFixed(0), cost(cores, gigabytes).toFixed(0)]),
  ].join("\n");
}

/** The load of issue and documentation: 10 billion trades, 100,000 readers, 1,000 launches a minute. */
export const documentedLoad: Load = {
  trades: 10e9,
  years: 2,
  peakFactor: 20,
  readers: 100_000,
  launchesPerMinute: 1_000,
  recentDays: 30,
};
export const documentedPrices: Prices = { coreMonth: 15, gigabyteMonth: 0.1 };

if (import.meta.main) {
  const toOption = (value: number) => ({ type: "string" as const, default: `${value}` });
  const { values } = parseArgs({
    options: {
      trades: toOption(documentedLoad.trades),
      years: toOption(documentedLoad.years),
      "peak-factor": toOption(documentedLoad.peakFactor),
      readers: toOption(documentedLoad.readers),
      launches: toOption(documentedLoad.launchesPerMinute),
      "recent-days": toOption(documentedLoad.recentDays),
      "core-month": toOption(documentedPrices.coreMonth),
      "gigabyte-month": toOption(documentedPrices.gigabyteMonth),
    },
  });
  const load: Load = {
    trades: Number(values.trades),
    years: Number(values.years),
    peakFactor: Number(values["peak-factor"]),
    readers: Number(values.readers),
    launchesPerMinute: Number(values.launches),
    recentDays: Number(values["recent-days"]),
  };
  const prices = { coreMonth: Number(values["core-month"]), gigabyteMonth: Number(values["gigabyte-month"]) };
  const isValid = [...Object.values(load), ...Object.values(prices)].every((value) => value > 0);
  if (isValid) process.stdout.write(`${formatParts(computeParts(load), prices)}\n`);
  else {
    process.stderr.write("Every option must be a positive number, for example --readers 20000.\n");
    process.exitCode = 64;
  }
}
