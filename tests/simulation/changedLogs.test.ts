import { intWord } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { expect, test, vi } from "vitest";
import {
  type Change,
  checks,
  differ,
  index,
  isRange,
  type Log,
  mineChain,
  start,
  useSimulationIndex,
} from "../support/simulation/indexWithEndpoints.ts";

useSimulationIndex();

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

/** Each call of `differ` reads the whole index, and the switch to a rebuilt index needs a moment without readers. */
const whileRebuilding = { timeout: 120_000, interval: 3_000 };
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
  await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), whileRebuilding);
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
    await vi.waitFor(async () => expect(await differ(chain)).toEqual([]), whileRebuilding);
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
