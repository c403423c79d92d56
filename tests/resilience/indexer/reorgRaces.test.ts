import pg from "pg";
import type { Address, Hex } from "viem";
import { waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import type { Deps } from "@slipway/server/deps";
import { expect, onTestFinished, test } from "vitest";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerWorld } from "../../support/indexer/useIndexerWorld.ts";

const world = useIndexerWorld();
const { openDeps, start, caughtUp, expectIndexEqualsChain, liveALittle } = world;

/** Holds the checkpoint's row, so that an undo that begins waits until `release`. */
async function holdCheckpoint(deps: Deps) {
  const client = new pg.Client({ connectionString: deps.config.DATABASE_URL });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  await client.query("select * from chain.checkpoint for update");
  return {
    /** Resolves when the indexer stands before the row. */
    isWaitedFor: () =>
      until(async () => {
        const { rows } = await deps.db.api.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
             and query like '%from chain.checkpoint for update'`,
        );
        return rows.length === 1;
      }),
    release: () => client.query("rollback"),
  };
}

test("C2-05 a second, deeper reorganisation during an undo: both are followed, and nothing is undone twice", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const { token } = await liveALittle();
  for (const ether of ["0.1", "0.2", "0.3", "0.4"]) {
    await chain.buy(1, token, ether);
    await caughtUp(indexer);
  }
  const held = await holdCheckpoint(deps);
  // Equal height: nothing is there to commit, so what waits is the undo.
  await chain.reorg(2);
  await held.isWaitedFor();
  await chain.reorg(4);
  await chain.buy(2, token, "0.5");
  await held.release();
  await world.reached(deps);
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // Whole batches are undone: what stood with it is retracted too, and told again.
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(4);
});

test("C2-05 a shutdown during an undo: the undo is whole, and the next start goes on behind it", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const { token } = await liveALittle();
  for (const ether of ["0.1", "0.2", "0.3"]) {
    await chain.buy(1, token, ether);
    await caughtUp(indexer);
  }
  const held = await holdCheckpoint(deps);
  await chain.reorg(3);
  await held.isWaitedFor();
  const stopped = indexer.stop();
  await chain.mine(1);
  await held.release();
  await stopped;
  const { rows } = await deps.db.api.query("select payload from chain.outbox where kind = 'retracted'");
  expect(rows.flatMap((row) => row.payload.trades).length).toBeGreaterThanOrEqual(3);
  await caughtUp(start(await openDeps({ databaseUrl: deps.config.DATABASE_URL })));
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(3);
});

/** A buy whose bytes are kept, so that the same transaction can be mined again in another block. */
async function signBuy(token: Address, index: number): Promise<Hex> {
  const chain = world.chain();
  const account = chain.accounts[index]!;
  const request = chain.buyRequest(index, token, "0.05");
  const nonce = await chain.client.getTransactionCount({ address: account.address });
  const { baseFeePerGas } = await chain.client.getBlock();
  return await account.signTransaction({
    ...request,
    nonce,
    gas: 1_000_000n,
    chainId: chain.manifest.chain_id,
    maxFeePerGas: baseFeePerGas! * 2n + 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 6n,
  });
}

test.each([1, 2, 7])(
  "C2-01 a reorganisation of %i blocks, with the same transactions mined again in other blocks",
  async (depth) => {
    const chain = world.chain();
    const deps = await openDeps();
    const indexer = start(deps);
    const { token } = await liveALittle();
    await chain.mine(20);
    const raw: Hex[] = [];
    const send = async (serializedTransaction: Hex) => {
      const hash = await chain.client.sendRawTransaction({ serializedTransaction });
      await waitForReceipt(chain.chain.rpcUrl, hash);
    };
    for (let i = 0; i < depth; i++) {
      // Two people, so that not all nonces follow each other.
      raw.push(await signBuy(token, 1 + (i % 2)));
      await send(raw.at(-1)!);
      if (i % 3 === 0) await caughtUp(indexer);
    }
    await caughtUp(indexer);
    await chain.reorg(depth);
    await world.reached(deps);
    // Each second one is left out, and with it, by its nonce, what its sender sent later.
    for (const transaction of depth === 1 ? raw : raw.filter((_, i) => i % 2 === 0)) await send(transaction);
    await chain.mine(1);
    await world.reached(deps);
    await caughtUp(indexer);
    await expectIndexEqualsChain(deps);
    expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(depth);
  },
);
