import { launchedTopic } from "@slipway/protocol/launchedLog";
import { expect, test, vi } from "vitest";
import type { RpcRequest } from "../support/indexer/changeAnswers.ts";
import {
  type Change,
  checks,
  createReference,
  differ,
  index,
  isRange,
  type Log,
  mineChain,
  start,
  unconfirmed,
  useSimulationIndex,
} from "../support/simulation/indexWithEndpoints.ts";
import type { SimulatedChain } from "../support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../support/simulation/simulatedManifest.ts";

useSimulationIndex();

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

/** An endpoint that adds a log of a contract that has no log in that block. */
function inventLog(isLying: (endpoint: number) => boolean, block: number): Change {
  return (call, answer, endpoint) => {
    if (!isRange(call, answer) || !isLying(endpoint)) return answer;
    const last = answer.result.findLast((log: Log) => Number(log.blockNumber) === block);
    const invented = last && { ...last, address: simulatedManifest.current.fee_locker.address, logIndex: "0x63" };
    return { id: call.id, result: last ? [...answer.result, invented] : answer.result };
  };
}

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
  await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), { timeout: 120_000, interval: 3_000 });
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
      ...log,
      address,
      topics: [launchedTopic],
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
