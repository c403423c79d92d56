import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import type { Abi } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { createHandmadeChain } from "../../../../../tests/support/indexer/handmadeChain.ts";
import { openIndexDatabase } from "../../../../../tests/support/indexer/openIndexDatabase.ts";
import { createTestDeps, until } from "../../../../../tests/support/indexer/testDeps.ts";
import { encodeLog, erc20Abi, type GeneratedLog } from "../../../../../tests/support/simulation/encodeLog.ts";
import { createRandom } from "../../../../../tests/support/simulation/random.ts";
import { simulatedManifest } from "../../../../../tests/support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../../../../../tests/support/simulation/simulatedNode.ts";
import { startIndexer } from "../startIndexer.ts";

const weth = simulatedManifest.wrapped_native.address;
const locker = simulatedManifest.current.fee_locker.address;
const stranger = `0x${"5e".repeat(20)}`;
const [alice, bob] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`] as const;
const abi = feeLockerAbi as Abi;
const max = 2n ** 256n - 1n;
const price = 3066678542806029913637481n;

/** Creates a chain with one launch, and an index of the chain. */
async function openIndexedLaunch() {
  const made = createHandmadeChain();
  const token = made.launch("AAA", true);
  const random = createRandom(1);
  const nodes = createSimulatedNodes(
    made.chain,
    1,
    random,
    () => noFaults,
    () => [],
  );
  const deps = await createTestDeps({
    databaseUrl: await openIndexDatabase(),
    rpcUrl: "http://simulated",
    transport: () => nodes,
  });
  onTestFinished(() => deps.db.close());
  const pool = deps.db.indexer;
  const indexer = startIndexer(deps, simulatedManifest);
  onTestFinished(() => indexer.stop());
  const read = async (sql: string) => (await pool.query({ text: sql, rowMode: "array" })).rows;
  await until(async () => (await pool.query("select from chain.tokens")).rowCount === 1);
  const { rows } = await pool.query<{ splitter: string }>("select splitter from chain.tokens");
  return {
    ...made,
    token,
    splitter: rows[0]!.splitter,
    read,
    readSums: async () => ({
      received: await read("select asset, amount from chain.splitter_received where amount <> 0 order by 1"),
      released: await read("select payee, asset, amount from chain.splitter_released where amount <> 0 order by 1, 2"),
    }),
    readFees: async () =>
      await read(
        "select kind, coalesce(payload->>'amount', payload->>'fees') from chain.outbox where kind in ('fees', 'retracted') order by id",
      ),
    readBases: async () =>
      await read(
        `select held, cost_quote, cost_usd, realized_quote, realized_usd from chain.traders order by token_id`,
      ),
    buy: (amount: bigint, quote: bigint) =>
      made.swap(token.pool, { amount0: -amount, amount1: quote, sqrtPriceX96: price, liquidity: 1n, tick: 0 }),
    sell: (amount: bigint, quote: bigint) =>
      made.swap(token.pool, { amount0: amount, amount1: -quote, sqrtPriceX96: price, liquidity: 1n, tick: 0 }),
    /** Replaces the newest blocks, and waits until the new head is indexed. */
    replace: async (blocks: number, logs: GeneratedLog[]) => {
      made.chain.blocks.splice(-blocks);
      made.mine(logs);
      for (let n = 0; n < blocks; n++) made.mine();
      await untilIndexed();
    },
    untilIndexed,
  };

  async function untilIndexed() {
    await until(async () => {
      const found = await pool.query("select block_hash from chain.checkpoint");
      return found.rows[0]?.block_hash === made.chain.head().hash;
    });
  }
}

test("C2-21 cost bases and the sums of splitters are undone with their batches, and computed again", async () => {
  const index = await openIndexedLaunch();
  const { mine, buy, sell, ethUsd, token, splitter, untilIndexed, readBases, readSums, readFees, replace } = index;
  const settled = (amount: bigint) =>
    encodeLog(abi, locker, "Settled", {
      token: token.address,
      asset: weth,
      collaboratorsAmount: amount,
      protocolAmount: 1n,
      partnerAmount: 0n,
    });
  const released = (payee: string, amount: bigint) =>
    encodeLog(feeSplitterAbi as Abi, splitter, "Released", {
      asset: weth,
      payee,
      receiver: payee,
      amount,
      unwrapped: false,
    });
  const wholeBuy = buy(100n, 10n ** 18n);
  mine([ethUsd(2_000)]);
  mine([wholeBuy, settled(900n), released(alice, 40n)]);
  await untilIndexed();
  const ether = 10n ** 18n;
  const bought = [
    [null, null, null, "0", "0"],
    ["100", String(ether), "2000000000", "0", "0"],
  ];
  expect(await readBases()).toEqual(bought);
  const sums = { received: [[weth, "900"]], released: [[alice, weth, "40"]] };
  expect(await readSums()).toEqual(sums);

  mine([sell(50n, 2n * ether), settled(100n), released(alice, 5n), released(bob, 6n)]);
  mine([
    encodeLog(abi, locker, "PaymentOwed", { token: token.address, asset: weth, party: splitter, amount: 100n }),
    encodeLog(abi, locker, "PaymentOwed", { token: token.address, asset: token.address, party: splitter, amount: 7n }),
  ]);
  await untilIndexed();
  expect(await readBases()).toEqual([
    [null, null, null, String((3n * ether) / 2n), "3000000000"],
    ["50", String(ether / 2n), "1000000000", String((3n * ether) / 2n), "3000000000"],
  ]);
  expect(await readSums()).toEqual({
    received: [
      [token.address, "-7"],
      [weth, "900"],
    ],
    released: [
      [alice, weth, "45"],
      [bob, weth, "6"],
    ],
  });

  // Replaces the blocks of the sell; the locker pays the owed amount.
  await replace(2, [encodeLog(abi, locker, "OwedPaid", { asset: weth, party: splitter, amount: 3n })]);
  expect(await readBases()).toEqual(bought);
  expect(await readSums()).toEqual({ ...sums, received: [[weth, "903"]] });
  // Replaces all blocks after the launch.
  await replace(5, []);
  const events = await readFees();
  expect(events.filter(([kind]) => kind === "fees").map(([, amount]) => amount)).toEqual(["900", "100", "3"]);
  expect(events.filter(([kind]) => kind === "retracted")).toEqual([
    ["retracted", expect.stringMatching(/^\["fees:\d+:\d+", "fees:\d+:\d+", "fees:\d+:\d+"\]$/)],
    ["retracted", expect.stringMatching(/^\["fees:\d+:\d+", "fees:\d+:\d+"\]$/)],
  ]);
  expect(await readBases()).toEqual([]);
  expect(await readSums()).toEqual({ received: [], released: [] });
});

test("C2-22 logs of other contracts change no balance, cost or sum, and the largest amounts do not stop the index", async () => {
  const index = await openIndexedLaunch();
  const { mine, swap, token, splitter, untilIndexed, read, readBases, readSums, buy, sell } = index;
  const balances = `select '0x' || encode(a.address, 'hex'), b.balance from chain.balances b
    join chain.accounts a on a.id = b.account_id order by 2 desc`;
  const before = await read(balances);
  const owed = { token: token.address, asset: weth, party: splitter, amount: 5n };
  mine([
    encodeLog(erc20Abi, stranger, "Transfer", { from: token.pool, to: alice, value: max }),
    encodeLog(abi, stranger, "PaymentOwed", owed),
    encodeLog(abi, stranger, "OwedPaid", { asset: weth, party: splitter, amount: max }),
    encodeLog(feeSplitterAbi as Abi, stranger, "Released", {
      asset: weth,
      payee: alice,
      receiver: alice,
      amount: max,
      unwrapped: false,
    }),
    // A launch of another locker.
    encodeLog(abi, locker, "PaymentOwed", { ...owed, token: stranger }),
    {
      ...swap(token.pool, { amount0: -1n, amount1: 1n, sqrtPriceX96: price, liquidity: 1n, tick: 0 }),
      address: stranger,
    },
    // Too short for the events of their topics.
    { ...encodeLog(abi, locker, "PaymentOwed", owed), data: "0x" },
    { ...encodeLog(abi, locker, "OwedPaid", { asset: weth, party: splitter, amount: 1n }), topics: [] },
  ]);
  await untilIndexed();
  expect(await read(balances)).toEqual(before);
  expect(await readBases()).toEqual([]);
  expect(await readSums()).toEqual({ received: [], released: [] });

  const most = 2n ** 255n - 1n;
  // A swap of more tokens is refused: C3-91.
  const supply = 10n ** 27n;
  mine([
    encodeLog(erc20Abi, token.address, "Transfer", { from: alice, to: bob, value: max }),
    encodeLog(erc20Abi, token.address, "Transfer", { from: bob, to: alice, value: max }),
    ...Array.from({ length: 9 }, () => buy(supply, most)),
    sell(supply, 1n),
    ...Array.from({ length: 9 }, () =>
      encodeLog(abi, locker, "OwedPaid", { asset: weth, party: splitter, amount: max }),
    ),
  ]);
  await untilIndexed();
  expect(await read(balances)).toEqual(before);
  expect((await readBases())[1]).toEqual([...[String(8n * supply), String(8n * most), null, String(1n - most), null]]);
  expect((await readSums()).received).toEqual([[weth, String(9n * max)]]);
});
