import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { parseConfig } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { createMetrics } from "../../metrics.ts";
import { createRelayerKey } from "../../relayer/relayerKey.ts";
import { systemClock } from "../../systemClock.ts";
import { processTopUps } from "./processTopUps.ts";

const mined = 60;
const chainId = testManifest.chain_id;

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

/** A relayer with recently mined top-ups and as many pending ones; its chain counts the requested receipts. */
async function createBusyRelayer() {
  const config = parseConfig({
    DATABASE_URL: database.url,
    RPC_URL: "http://127.0.0.1:1",
    RELAYER_PRIVATE_KEY: `0x${"11".repeat(32)}`,
    RELAYER_POLL_MS: "10",
  });
  const receiptsPerRun: number[] = [];
  const chain = {
    manifestState: () => ({
      manifest: { ...testManifest, gas_station: { address: `0x${"22".repeat(20)}` } },
    }),
    request: async ({ method }: { method: string }) => {
      if (method === "eth_sendRawTransaction") return "0x";
      if (method !== "eth_getBlockByNumber") return `0x${chainId.toString(16)}`;
      return { number: "0x64", timestamp: "0x64", hash: "0x1", baseFeePerGas: "0x1" };
    },
    client: { getTransactionCount: async () => mined },
    rpc: {
      batchSettled: async (calls: { params: [string] }[]) => {
        receiptsPerRun.push(calls.length);
        return calls.map(({ params: [hash] }) =>
          Number(hash) < mined
            ? { blockNumber: "0x63", status: "0x1", gasUsed: "0x1", effectiveGasPrice: "0x1" }
            : null,
        );
      },
    },
  };
  const relayerKey = createRelayerKey(config.RELAYER_PRIVATE_KEY!);
  const deps = { config, chain, db: database.db, clock: systemClock, log: pino({ level: "silent" }), relayerKey };
  const sender = relayerKey.address.toLowerCase();
  await database.db.api.query(
    `with owner as (insert into app.accounts (id, name) values (gen_random_uuid(), 'A') returning id),
       numbers as (select n, '0x' || lpad(to_hex(n), 64, '0') as hex, gen_random_uuid() as id from generate_series(0, $3) n),
       quotes as (
         insert into app.gas_quotes
           (id, account_id, chain_id, station, wallet, token, token_amount, native_amount, deadline, consumed_at)
         select hex, owner.id, $1, 's', 'w', 't', 1, 1, 4000000000, now() from numbers, owner returning id
       ), sent as (
         insert into app.relayer_transactions (id, chain_id, sender, nonce, quote_id, account_id, wallet, client_address,
           station, data, gas_limit, native_amount, deadline, state, mined_hash, block_number, finished_at)
         select numbers.id, $1, $2, n, hex, owner.id, 'w', 'a', '0x' || repeat('22', 20), '0x', 1, 1, 4000000000,
           case when n < $4 then 'confirmed' else 'sent' end, case when n < $4 then hex end,
           case when n < $4 then 99 end, case when n < $4 then now() end
         from numbers, owner, (select count(*) from quotes) as quotes_first returning id
       )
     insert into app.relayer_attempts (hash, transaction_id, number, raw, max_fee, priority_fee, broadcast_at)
     select hex, numbers.id, 0, '0x', 1, 1, now() from numbers, (select count(*) from sent) as sent_first`,
    [chainId, sender, 2 * mined - 1, mined],
  );
  return { deps: { ...deps, metrics: createMetrics() } as unknown as Deps, receiptsPerRun };
}

test("the relayer reads only possible receipts in each run, and receipts of mined top-ups in every twentieth run", async () => {
  const { deps, receiptsPerRun } = await createBusyRelayer();
  const job = processTopUps(deps);
  await expect.poll(() => receiptsPerRun.length).toBeGreaterThan(60);
  await job.stop();
  const full = receiptsPerRun.filter((count) => count > mined);
  // Every twentieth run also checks for a reorganisation.
  expect(full.length).toBeGreaterThan(1);
  expect(full.length).toBeLessThanOrEqual(Math.ceil(receiptsPerRun.length / 20));
  expect(Math.min(...receiptsPerRun)).toBe(1);
  const mean = receiptsPerRun.reduce((sum, count) => sum + count, 0) / receiptsPerRun.length;
  expect(mean).toBeLessThan(6);
});
