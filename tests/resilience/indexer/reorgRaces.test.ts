import { waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import type { Deps } from "@slipway/server/deps";
import pg from "pg";
import type { Address, Hex } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity } = fixture;

/** Locks the checkpoint's row, so that an undo waits until `release`. */
async function lockCheckpoint(deps: Deps) {
  const client = new pg.Client({ connectionString: deps.config.DATABASE_URL });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  await client.query("select * from chain.checkpoint for update");
  return {
    /** Resolves when the indexer waits for the row. */
    untilContended: () =>
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

test("C2-05 a second, deeper reorganisation during an undo is followed too, and nothing is undone twice", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const { token } = await runSampleActivity();
  for (const ether of ["0.1", "0.2", "0.3", "0.4"]) {
    await chain.buy(1, token, ether);
    await untilCaughtUp(indexer);
  }
  const lock = await lockCheckpoint(deps);
  // Equal height: there is nothing to commit, so only the undo waits.
  await chain.reorg(2);
  await lock.untilContended();
  await chain.reorg(4);
  await chain.buy(2, token, "0.5");
  await lock.release();
  await fixture.untilIndexed(deps);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // Batches are undone as a whole: their other trades are also retracted, and published again.
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(4);
});

test("C2-05 an undo completes during a shutdown, and the next start continues after it", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const { token } = await runSampleActivity();
  for (const ether of ["0.1", "0.2", "0.3"]) {
    await chain.buy(1, token, ether);
    await untilCaughtUp(indexer);
  }
  const lock = await lockCheckpoint(deps);
  await chain.reorg(3);
  await lock.untilContended();
  const stopped = indexer.stop();
  await chain.mine(1);
  await lock.release();
  await stopped;
  const { rows } = await deps.db.api.query("select payload from chain.outbox where kind = 'retracted'");
  expect(rows.flatMap((row) => row.payload.trades).length).toBeGreaterThanOrEqual(3);
  await untilCaughtUp(start(await openDeps({ databaseUrl: deps.config.DATABASE_URL })));
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(3);
});

/** Signs a buy, so that the same transaction can be mined again in another block. */
async function signBuy(token: Address, index: number): Promise<Hex> {
  const chain = fixture.chain();
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
  "C2-01 a reorganisation of %i blocks that mines the same transactions again in other blocks is followed",
  async (depth) => {
    const chain = fixture.chain();
    const deps = await openDeps();
    const indexer = start(deps);
    const { token } = await runSampleActivity();
    await chain.mine(20);
    const raw: Hex[] = [];
    const send = async (serializedTransaction: Hex) => {
      const hash = await chain.client.sendRawTransaction({ serializedTransaction });
      await waitForReceipt(chain.chain.rpcUrl, hash);
    };
    for (let i = 0; i < depth; i++) {
      // Two senders, so that not all nonces are consecutive.
      raw.push(await signBuy(token, 1 + (i % 2)));
      await send(raw.at(-1)!);
      if (i % 3 === 0) await untilCaughtUp(indexer);
    }
    await untilCaughtUp(indexer);
    await chain.reorg(depth);
    await fixture.untilIndexed(deps);
    // Every second one is omitted, and with it, because of the nonces, its sender's later ones.
    for (const transaction of depth === 1 ? raw : raw.filter((_, i) => i % 2 === 0)) await send(transaction);
    await chain.mine(1);
    await fixture.untilIndexed(deps);
    await untilCaughtUp(indexer);
    await expectIndexEqualsChain(deps);
    expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(depth);
  },
);
