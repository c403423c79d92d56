import { launchedTopic } from "@slipway/protocol/launchedLog";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { intWord } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { changeAnswers, type RpcAnswer, type RpcRequest } from "../support/indexer/changeAnswers.ts";
import { dumpIndex } from "../support/simulation/dumpIndex.ts";
import { openSimulationIndex, type SimulationIndex } from "../support/simulation/openSimulationIndex.ts";
import { createRandom } from "../support/simulation/random.ts";
import { referenceIndex } from "../support/simulation/reference.ts";
import { createSimulatedChain, type SimulatedChain } from "../support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../support/simulation/simulatedNode.ts";
import { differences } from "../support/simulation/tables.ts";

/** Enough blocks that most are final when the indexer starts. */
const blocks = 400;
const hosts = ["one.example", "two.example", "three.example"];

type Log = { blockNumber: string; logIndex: string; topics: string[] };
/** Changes an answer of an endpoint. */
type Change = (call: RpcRequest, answer: RpcAnswer, endpoint: number) => RpcAnswer;

let index: SimulationIndex;

beforeAll(async () => {
  index = await openSimulationIndex();
  // A busy machine can exceed the time that a request waits for a connection.
  for (const { options } of [index.indexer.indexer, index.indexer.pipelined, index.pool])
    options.connectionTimeoutMillis = 60_000;
});
afterAll(async () => {
  await index?.close();
});
beforeEach(async () => {
  await index.empty();
});

function mineChain(seed: number): SimulatedChain {
  const chain = createSimulatedChain(createRandom(seed));
  for (let i = 0; i < blocks; i++) chain.mine(12);
  return chain;
}

/**
 * An endpoint whose log index lacks the logs of `isMissing`; its receipts and headers are correct. Logs that are
 * searched before a launch (a splitter's creation) are never missing, because no header shows their place.
 */
function leaveOut(isMissing: (log: Log, endpoint: number) => boolean): Change {
  return (call, answer, endpoint) =>
    isRange(call, answer)
      ? { id: call.id, result: answer.result.filter((log: Log) => !isMissing(log, endpoint)) }
      : answer;
}

const isRange = (call: RpcRequest, answer: RpcAnswer) =>
  call.method === "eth_getLogs" && Array.isArray(answer.result) && call.params[0].topics?.[0].includes(launchedTopic);

/** An endpoint that adds a log of a contract that has no log in that block. */
function inventLog(isLying: (endpoint: number) => boolean, block: number): Change {
  return (call, answer, endpoint) => {
    if (!isRange(call, answer) || !isLying(endpoint)) return answer;
    const last = answer.result.findLast((log: Log) => Number(log.blockNumber) === block);
    const invented = last && { ...last, address: simulatedManifest.current.fee_locker.address, logIndex: "0x63" };
    return { id: call.id, result: last ? [...answer.result, invented] : answer.result };
  };
}

/** Starts the indexer on a chain with this many endpoints; `calls` counts the JSON-RPC calls by method. */
function start(chain: SimulatedChain, endpoints: number, change: Change = (_, answer) => answer) {
  const calls: Record<string, number> = {};
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  const nodes = createSimulatedNodes(
    ...([chain, endpoints, createRandom(5), () => noFaults, () => []] as Parameters<typeof createSimulatedNodes>),
  );
  const changed = changeAnswers(change)(nodes);
  const transport: RpcTransport = async (endpoint, body, signal) => {
    for (const { method } of [JSON.parse(body) as RpcRequest | RpcRequest[]].flat())
      calls[method] = (calls[method] ?? 0) + 1;
    return await changed(endpoint, body, signal);
  };
  const rpc = createRpcPool({
    ...{ endpoints, hosts: hosts.slice(0, endpoints), transport, clock: systemClock, log, metrics },
    ...{ timeoutMs: 60_000, requestsPerSecond: 1_000_000 },
  });
  const config = parseConfig({
    ...{ DATABASE_URL: index.url, RPC_URL: "https://secret.example/key", REORG_WINDOW_SECONDS: "100" },
    ...{ RPC_REQUESTS_PER_SECOND: "100000", POLL_INTERVAL_MS: "10" },
  });
  const db = { ...index.indexer, api: index.pool, read: index.pool };
  const indexer = startIndexer(
    {
      config,
      log,
      clock: systemClock,
      db,
      chain: { rpc, heads: createSeenHeads(systemClock) },
      metrics,
    } as unknown as Deps,
    simulatedManifest,
  );
  onTestFinished(() => indexer.stop());
  return {
    indexer,
    calls,
    lines,
    find: (event: string) => lines.filter((line) => line.msg === event),
    untilCaughtUp: async () => {
      await vi.waitFor(
        () => expect(indexer.status()).toMatchObject({ indexedBlock: chain.head().number, state: "live" }),
        { timeout: 60_000 },
      );
    },
    count: async (name: string, labels: Record<string, string>) => {
      const metric = await metrics.registry.getSingleMetric(name)?.get();
      const matches = metric?.values.filter((value) =>
        Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
      );
      return matches?.reduce((sum, { value }) => sum + value, 0) ?? null;
    },
  };
}

const createReference = (chain: SimulatedChain) => referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
const differ = async (chain: SimulatedChain) => differences(createReference(chain), await dumpIndex(index.pool));

const checks = "slipway_log_checks_total";
const unconfirmed = "slipway_unconfirmed_ranges";

test("C3-08 a single endpoint that leaves out a block's last log is noticed by the bloom, and the index has every log", async () => {
  const chain = mineChain(1);
  const isLast = (log: Log) =>
    Number(log.logIndex) > 0 && Number(log.logIndex) === chain.blocks[Number(log.blockNumber)]!.logs.length - 1;
  const run = start(chain, 1, leaveOut(isLast));
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
  expect(await run.count(checks, { check: "bloom", outcome: "missing" })).toBeGreaterThan(0);
});

test("C3-08 a single endpoint without any log of final blocks is noticed, launches included", async () => {
  const chain = mineChain(2);
  const run = start(
    chain,
    1,
    leaveOut(() => true),
  );
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
  expect(await run.count(checks, { check: "bloom", outcome: "missing" })).toBeGreaterThan(0);
});

/**
 * Finds a final block with one transaction and one trade. The header of an odd block is read for its time; the header of
 * an even block is not, because its logs contain the time.
 */
function findTradeBlock(chain: SimulatedChain, isHeaderRead: boolean): number {
  const trades = [...createReference(chain).trades.keys()].map((key) => Number(key.split(":")[0]));
  const isWanted = (block: number) => block > 100 && block < 300 && (block % 2 === 1) === isHeaderRead;
  const isAlone = (block: number) => trades.indexOf(block) === trades.lastIndexOf(block);
  return trades.find((block) => isWanted(block) && isAlone(block) && chain.blocks[block]!.txs.length === 1)!;
}

/** Indexes with one endpoint that omits a block. @returns the block's number. */
async function indexWithHole(chain: SimulatedChain): Promise<number> {
  const hole = findTradeBlock(chain, false);
  const run = start(
    chain,
    1,
    leaveOut((log) => Number(log.blockNumber) === hole),
  );
  await run.untilCaughtUp();
  await vi.waitFor(async () => expect(await run.count(unconfirmed, { state: "unchecked" })).toBeGreaterThan(0));
  await run.indexer.stop();
  expect(await run.count(checks, { outcome: "missing" })).toBe(0);
  expect(await differ(chain)).not.toEqual([]);
  return hole;
}

test("C3-09 a second endpoint is asked later for what one alone reported, and a range with missing logs is indexed again", async () => {
  const chain = mineChain(3);
  const hole = await indexWithHole(chain);
  const run = start(
    chain,
    2,
    leaveOut((log, endpoint) => endpoint === 0 && Number(log.blockNumber) === hole),
  );
  await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), { timeout: 60_000 });
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await run.count(checks, { check: "count", outcome: "missing" })).toBe(1);
  expect(run.find("logs of final blocks are missing from the index")).toMatchObject([
    { level: 50, hosts: ["one.example", "two.example"], isRebuilt: true },
  ]);
  const { rows } = await index.pool.query("select count(*)::int as n from chain.unconfirmed_ranges where not recent");
  expect(rows[0].n).toBe(0);
  expect(JSON.stringify(run.lines)).not.toContain("https://");
});

test("C3-09 a second endpoint that leaves out or invents logs changes nothing and is named", async () => {
  const chain = mineChain(4);
  const first = start(chain, 1);
  await first.untilCaughtUp();
  await first.indexer.stop();
  const hole = findTradeBlock(chain, false);
  for (const change of [
    leaveOut((log, endpoint) => endpoint === 1 && Number(log.blockNumber) === hole),
    inventLog((endpoint) => endpoint === 1, hole),
  ]) {
    const { rows: before } = await index.pool.query("select * from chain.unconfirmed_ranges order by 1");
    expect(before.length).toBeGreaterThan(0);
    const run = start(chain, 2, change);
    await vi.waitFor(
      async () => {
        expect(await run.count(checks, { check: "count", outcome: "endpoint_wrong" })).toBe(1);
        expect(await run.count(checks, { check: "count", outcome: "complete" })).toBe(before.length - 1);
      },
      { timeout: 60_000 },
    );
    await run.indexer.stop();
    expect(run.find("rpc endpoint has wrong logs of final blocks")).toMatchObject([{ host: "two.example" }]);
    expect(await run.count(checks, { outcome: "missing" })).toBe(0);
    expect(await differ(chain)).toEqual([]);
    for (const row of before)
      await index.pool.query(
        "insert into chain.unconfirmed_ranges select * from json_populate_record(null::chain.unconfirmed_ranges, $1)",
        [JSON.stringify(row)],
      );
  }
});

test("C3-09 an honest second endpoint confirms every range of an index, with all its launches", async () => {
  let ranges = 0;
  for (let seed = 20; seed < 28; seed++) {
    await index.empty();
    const chain = mineChain(seed);
    const first = start(chain, 1);
    await first.untilCaughtUp();
    await first.indexer.stop();
    const { rows } = await index.pool.query("select count(*)::int as n from chain.unconfirmed_ranges");
    const run = start(chain, 2);
    await vi.waitFor(
      async () => expect(await run.count(checks, { check: "count", outcome: "complete" })).toBe(rows[0].n),
      { timeout: 60_000 },
    );
    await run.indexer.stop();
    ranges += rows[0].n;
    expect(await run.count(checks, { check: "count" })).toBe(rows[0].n);
  }
  expect(ranges).toBeGreaterThan(8);
});

test("C3-09 a second endpoint that refuses long ranges is asked for parts, whose sum counts", async () => {
  const chain = mineChain(12);
  const first = start(chain, 1);
  await first.untilCaughtUp();
  await first.indexer.stop();
  const { rows } = await index.pool.query("select max(to_block - from_block) as blocks from chain.unconfirmed_ranges");
  expect(rows[0].blocks).toBeGreaterThan(30);
  const isTooLong = ({ method, params }: RpcRequest) =>
    method === "eth_getLogs" && Number(params[0].toBlock) - Number(params[0].fromBlock) >= 30;
  const run = start(chain, 2, (call, answer, endpoint) =>
    endpoint === 1 && isTooLong(call)
      ? { id: call.id, error: { code: -32000, message: "exceed maximum block range: 30" } }
      : answer,
  );
  const ranges = "select from chain.unconfirmed_ranges";
  await vi.waitFor(async () => expect((await index.pool.query(ranges)).rowCount).toBe(0), { timeout: 60_000 });
  await run.indexer.stop();
  expect(await run.count(checks, { outcome: "different" })).toBe(0);
});

test("C3-09 an endpoint that makes up receipts cannot have the index rebuilt", async () => {
  const chain = mineChain(14);
  const first = start(chain, 1);
  await first.untilCaughtUp();
  await first.indexer.stop();
  const { address } = simulatedManifest.current.fee_locker;
  const { rows } = await index.pool.query("select count(*)::int as n from chain.unconfirmed_ranges");
  const run = start(chain, 2, (call, answer, endpoint) => {
    if (endpoint === 0) return answer;
    // It reports few logs, so its own receipts decide. The receipts have more logs than the chain, and the blooms
    // exclude none.
    if (isRange(call, answer)) return { id: call.id, result: [] };
    if (call.method === "eth_getBlockByNumber" && answer.result)
      return { id: call.id, result: { ...answer.result, logsBloom: `0x${"0".repeat(512)}` } };
    const last = call.method === "eth_getBlockReceipts" && answer.result?.at(-1);
    const log = last ? last.logs.at(-1) : undefined;
    if (!log) return answer;
    const madeUp = [1, 2, 3].map((n) => ({
      ...{ ...log, address, topics: [launchedTopic] },
      logIndex: `0x${(Number(log.logIndex) + n).toString(16)}`,
    }));
    const receipts = [...answer.result.slice(0, -1), { ...last, logs: [...last.logs, ...madeUp] }];
    return { id: call.id, result: receipts };
  });
  await vi.waitFor(async () => expect(await run.count(checks, { check: "count" })).toBe(rows[0].n), {
    timeout: 60_000,
  });
  await run.indexer.stop();
  expect(await run.count(checks, { check: "count", outcome: "different" })).toBeGreaterThan(0);
  expect(await run.count(checks, { outcome: "missing" })).toBe(0);
  expect(await differ(chain)).toEqual([]);
});

test("C3-09 without receipts that decide, a difference is reported and nothing is rebuilt", async () => {
  const chain = mineChain(5);
  const hole = await indexWithHole(chain);
  const omit = leaveOut((log, endpoint) => endpoint === 0 && Number(log.blockNumber) === hole);
  const run = start(chain, 2, (call, answer, endpoint) =>
    call.method === "eth_getBlockReceipts"
      ? { id: call.id, error: { code: -32000, message: "timeout" } }
      : omit(call, answer, endpoint),
  );
  await vi.waitFor(async () => expect(await run.count(checks, { check: "count", outcome: "different" })).toBe(1), {
    timeout: 60_000,
  });
  await run.indexer.stop();
  expect(run.find("rpc endpoints differ about logs of final blocks")).toMatchObject([
    { hosts: ["one.example", "two.example"], agreed: null },
  ]);
  const { rows } = await index.pool.query("select from_block, to_block from chain.unconfirmed_ranges where differs");
  expect(rows).toHaveLength(1);
  expect(hole).toBeGreaterThanOrEqual(rows[0].from_block);
  expect(hole).toBeLessThanOrEqual(rows[0].to_block);
  expect(await differ(chain)).not.toEqual([]);
});

test("C3-09 an index is rebuilt for missing logs at most once a day", async () => {
  const chain = mineChain(8);
  const hole = await indexWithHole(chain);
  await index.pool.query("update chain.checkpoint set rebuilt_at = now() - interval '23 hours'");
  const run = start(
    chain,
    2,
    leaveOut((log, endpoint) => endpoint === 0 && Number(log.blockNumber) === hole),
  );
  await vi.waitFor(async () => expect(await run.count(checks, { check: "count", outcome: "missing" })).toBe(1), {
    timeout: 60_000,
  });
  await run.indexer.stop();
  expect(run.find("logs of final blocks are missing from the index")).toMatchObject([{ isRebuilt: false }]);
  expect(run.find("index rebuild started")).toEqual([]);
  expect(await differ(chain)).not.toEqual([]);
});

/** An endpoint that multiplies the amounts of swaps: positions, topics and blooms stay the same. */
function changeAmounts(isLying: (log: Log, endpoint: number) => boolean, factor = 2n): Change {
  const change = (log: Log & { data: string }, endpoint: number) => {
    if (log.topics[0] !== swapTopic || log.data.length < 130 || !isLying(log, endpoint)) return log;
    const words = [0, 1].map((word) => BigInt.asUintN(256, intWord(log.data, word) * factor));
    const amounts = words.map((word) => word.toString(16).padStart(64, "0")).join("");
    return { ...log, data: `0x${amounts}${log.data.slice(2 + 128)}` };
  };
  return (call, answer, endpoint) => {
    if (isRange(call, answer)) return { id: call.id, result: answer.result.map((log: any) => change(log, endpoint)) };
    if (call.method !== "eth_getBlockReceipts" || !Array.isArray(answer.result)) return answer;
    const receipts = answer.result.map((receipt: any) => ({
      ...receipt,
      logs: receipt.logs.map((log: any) => change(log, endpoint)),
    }));
    return { id: call.id, result: receipts };
  };
}

const isDifferent = { check: "count", outcome: "different" };

test("C3-90 with three endpoints, changed amounts of final blocks never reach the index", async () => {
  const chain = mineChain(30);
  const run = start(
    chain,
    3,
    changeAmounts((log, endpoint) => endpoint === 0 && Number(log.blockNumber) < 250),
  );
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
  expect(await run.count(checks, { check: "endpoints", outcome: "resolved" })).toBeGreaterThan(0);
  expect(await run.count(checks, { outcome: "different" })).toBe(0);
});

test("C3-90 with two endpoints, changed amounts of final blocks are reported, and the index is rebuilt when the lie ends", async () => {
  const chain = mineChain(31);
  let isLying = true;
  const run = start(
    chain,
    2,
    changeAmounts((log, endpoint) => isLying && endpoint === 0 && Number(log.blockNumber) < 250),
  );
  await run.untilCaughtUp();
  expect(await run.count(checks, { check: "endpoints", outcome: "different" })).toBeGreaterThan(0);
  expect(run.find("rpc endpoints differ about the contents of logs of final blocks")[0]).toMatchObject({
    hosts: ["one.example", "two.example"],
  });
  await vi.waitFor(async () => expect(await run.count(checks, isDifferent)).toBeGreaterThan(0), { timeout: 60_000 });
  expect(await differ(chain)).not.toEqual([]);
  isLying = false;
  await index.pool.query("update chain.unconfirmed_ranges set checked_at = now() - interval '1 hour' where differs");
  await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), { timeout: 60_000 });
  await run.indexer.stop();
  expect(await run.count(checks, { check: "count", outcome: "wrong" })).toBe(1);
});

test.each([2, 3])(
  "C3-90 changed amounts near the head are found by another endpoint of %s when the blocks are final",
  async (endpoints) => {
    const chain = mineChain(32);
    let lieFrom = Number.POSITIVE_INFINITY;
    let lieTo = Number.POSITIVE_INFINITY;
    const isLying = (log: Log) => Number(log.blockNumber) >= lieFrom && Number(log.blockNumber) <= lieTo;
    const run = start(
      chain,
      endpoints,
      changeAmounts((log, endpoint) => endpoint === 0 && isLying(log)),
    );
    await run.untilCaughtUp();
    lieFrom = chain.head().number + 1;
    const mine = async (blockCount: number) => {
      for (let i = 0; i < blockCount; i++) {
        chain.mine(12);
        await run.untilCaughtUp();
      }
    };
    await mine(20);
    lieTo = chain.head().number;
    expect(await differ(chain)).not.toEqual([]);
    await mine(70);
    if (endpoints === 2) {
      await vi.waitFor(async () => expect(await run.count(checks, isDifferent)).toBeGreaterThan(0), {
        timeout: 90_000,
      });
      lieFrom = Number.POSITIVE_INFINITY;
      await index.pool.query(
        "update chain.unconfirmed_ranges set checked_at = now() - interval '1 hour' where differs",
      );
    }
    await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), { timeout: 120_000 });
    await run.indexer.stop();
    expect(run.find("logs of final blocks in the index are wrong")).toMatchObject([{ level: 50, isRebuilt: true }]);
  },
);

test("C3-90 a single lying endpoint causes no rebuild, and a range of an earlier version is compared by its count", async () => {
  const chain = mineChain(33);
  const first = start(chain, 1);
  await first.untilCaughtUp();
  await first.indexer.stop();
  const { rows } = await index.pool.query("select * from chain.unconfirmed_ranges order by 1");
  const lie = changeAmounts((log, endpoint) => endpoint === 1 && Number(log.blockNumber) < 250);
  const run = start(chain, 2, lie);
  await vi.waitFor(async () => expect(await run.count(checks, { check: "count" })).toBe(rows.length), {
    timeout: 60_000,
  });
  await run.indexer.stop();
  expect(await run.count(checks, isDifferent)).toBeGreaterThan(0);
  expect(await run.count(checks, { outcome: "wrong" })).toBe(0);
  expect(await differ(chain)).toEqual([]);
  await index.pool.query("update chain.unconfirmed_ranges set digest = null, differs = false, checked_at = null");
  const later = start(chain, 2, lie);
  const left = "select from chain.unconfirmed_ranges";
  await vi.waitFor(async () => expect((await index.pool.query(left)).rowCount).toBe(0), { timeout: 60_000 });
  await later.indexer.stop();
  expect(await later.count(checks, isDifferent)).toBe(0);
});

test("C3-90 honest endpoints confirm every block near the head", async () => {
  const chain = mineChain(34);
  const run = start(chain, 2);
  await run.untilCaughtUp();
  for (let i = 0; i < 100; i++) {
    chain.mine(12);
    if (i % 3 === 0) await run.untilCaughtUp();
  }
  await run.untilCaughtUp();
  const due = `select from chain.unconfirmed_ranges where to_block <= (select min(block_number) from chain.headers)`;
  await vi.waitFor(async () => expect((await index.pool.query(due)).rowCount).toBe(0), { timeout: 90_000 });
  await run.indexer.stop();
  expect(await run.count(checks, { check: "count", outcome: "complete" })).toBeGreaterThan(5);
  expect(await run.count(checks, { check: "count" })).toBe(
    await run.count(checks, { check: "count", outcome: "complete" }),
  );
});

test("C3-91 a swap of more tokens than exist is refused, and the other endpoint is asked", async () => {
  const chain = mineChain(35);
  const run = start(
    chain,
    2,
    changeAmounts((_, endpoint) => endpoint === 0, 10n ** 12n),
  );
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
  expect(await run.count(checks, { check: "answers", outcome: "contradicted" })).toBeGreaterThan(0);
});

test("C3-08 two endpoints that differ are reported with their hosts, and the index has every log", async () => {
  const chain = mineChain(7);
  const run = start(
    chain,
    2,
    leaveOut((log, endpoint) => Number(log.blockNumber) % 2 === endpoint),
  );
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
  expect(await run.count(checks, { check: "endpoints", outcome: "resolved" })).toBeGreaterThan(0);
  expect(run.find("rpc endpoints differ about logs of final blocks")[0]).toMatchObject({
    hosts: ["one.example", "two.example"],
  });
});

test("C3-08 what two endpoints leave out alike is noticed by the bloom", async () => {
  const chain = mineChain(8);
  const run = start(
    chain,
    2,
    leaveOut((log) => Number(log.logIndex) > 0),
  );
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await run.count(checks, { check: "bloom", outcome: "missing" })).toBeGreaterThan(0);
  expect(await differ(chain)).toEqual([]);
});

test("C3-08 a log that is not in its block's bloom is refused", async () => {
  const chain = mineChain(9);
  let isLying = true;
  const lie = inventLog(() => isLying, findTradeBlock(chain, true));
  const run = start(chain, 1, (call, answer, endpoint) => lie(call, answer, endpoint));
  await vi.waitFor(
    async () => expect(await run.count(checks, { check: "answers", outcome: "contradicted" })).toBeGreaterThan(1),
    { timeout: 60_000 },
  );
  isLying = false;
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(await differ(chain)).toEqual([]);
});

test.each([
  ["no bit", `0x${"0".repeat(512)}`],
  ["every bit", `0x${"f".repeat(512)}`],
])(
  "C3-08 blooms with %s set are reported once for an endpoint, and do not stop or change the index",
  async (_, logsBloom) => {
    const chain = mineChain(10);
    const run = start(chain, 1, (call, answer) =>
      call.method === "eth_getBlockByNumber" && answer.result
        ? { id: call.id, result: { ...answer.result, logsBloom } }
        : answer,
    );
    await run.untilCaughtUp();
    await run.indexer.stop();
    expect(await differ(chain)).toEqual([]);
    expect(run.find("rpc endpoint has no blooms")).toMatchObject([{ host: "one.example" }]);
    expect(await run.count("slipway_rpc_without_blooms", { endpoint: "0" })).toBe(1);
    expect(await run.count(checks, { outcome: "missing" })).toBe(0);
  },
);

test("C3-08 a node that has no receipts of old blocks does not stop a backfill", async () => {
  const chain = mineChain(13);
  // No trades of these blocks are received, so their blooms are confirmed by receipts.
  const isMissing = (log: Log) => Number(log.blockNumber) % 3 === 0;
  const omit = leaveOut(isMissing);
  let refused = 0;
  const run = start(chain, 1, (call, answer, endpoint) => {
    if (call.method !== "eth_getBlockReceipts" || Number(call.params[0]) > 300) return omit(call, answer, endpoint);
    refused++;
    return { id: call.id, result: null };
  });
  await run.untilCaughtUp();
  await run.indexer.stop();
  expect(refused).toBeGreaterThan(0);
  expect(await run.count(checks, { check: "bloom", outcome: "skipped" })).toBeGreaterThan(0);
});

test("near the head nothing is requested for the checks but the head and the receipts of blocks that may hold our logs", async () => {
  const chain = mineChain(11);
  const run = start(chain, 1);
  await run.untilCaughtUp();
  const before = { ...run.calls };
  const newBlocks = 20;
  for (let i = 0; i < newBlocks; i++) {
    chain.mine(12);
    await run.untilCaughtUp();
  }
  await run.indexer.stop();
  const { eth_getBlockReceipts: receipts, eth_getLogs: logs } = run.calls;
  expect(receipts! - before.eth_getBlockReceipts!).toBeLessThanOrEqual(newBlocks);
  expect(logs).toBe(before.eth_getLogs);
  expect(await differ(chain)).toEqual([]);
});
