import { payFees } from "@slipway/server/features/fees/keeper/payFees";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect } from "vitest";
import { launchToken, sendRaw, wallets } from "../security/actors.ts";
import { buyWithNative, readHeld } from "../security/claims.ts";
import { rpc } from "../security/startGasStack.ts";
import { type Server, startTestStack, type TestStack } from "../security/startTestStack.ts";

/** Funded accounts of the tests: who launches, who is paid, who trades, and the keeper. */
export const [creator, payee, other, trader] = wallets as [
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
];
export const keeperWallet = wallets[9]!;

export const ether = 10n ** 18n;
/** The bound of the tests. A buy of 10 native earns the payees 0.09. */
export const minPayout = ether / 50n;

export const keeperSettings = {
  KEEPER_PRIVATE_KEY: keeperWallet.privateKey,
  KEEPER_MIN_PAYOUT_WEI: minPayout.toString(),
  KEEPER_GAS_MULTIPLE: "2",
  KEEPER_MAX_FEE_WEI: (10n ** 10n).toString(),
  KEEPER_DAILY_CAP_WEI: (100n * ether).toString(),
  KEEPER_INTERVAL_MS: "100",
  RELAYER_POLL_MS: "50",
};

type Claim = {
  id: string;
  splitter: string;
  payees: string[];
  worth: string;
  outcome: string | null;
  cost: string | null;
  paid: string | null;
  max_cost: string;
  tx_hash: Hex | null;
};
type Splitter = { failures: number; last_error: string | null; next_fees: string; is_paused: boolean };

/** A launch with its payees. */
export type Launched = { token: Hex; splitter: Hex; pool: Hex };

/** A stack in which blocks are mined only by transactions, and servers that run the keeper's job. */
export function useKeeper() {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack({ heartbeatMs: 0 });
  });
  afterAll(async () => {
    await stack?.close();
  });

  const keeper = {
    get stack() {
      return stack;
    },
    query: async <R extends object = any>(sql: string, values: unknown[] = []): Promise<R[]> =>
      (await stack.deps.db.api.query<R>(sql, values)).rows,
    claims: async (splitter: string) =>
      await keeper.query<Claim>("select * from app.keeper_claims where splitter = $1 order by created_at", [
        splitter.toLowerCase(),
      ]),
    state: async (splitter: string): Promise<Splitter | undefined> =>
      (
        await keeper.query<Splitter>(
          "select failures, last_error, next_fees, next_check_at > now() as is_paused from app.keeper_splitters where splitter = $1",
          [splitter.toLowerCase()],
        )
      )[0],
    /** Launches a token whose fees the payees share. */
    launch: async (shares: [string, number][] = [[payee.address, 10_000]]): Promise<Launched> =>
      await launchToken(stack, creator, {
        recipients: shares.map(([wallet, share_bps]) => ({ provider: "wallet", wallet, share_bps })),
      }),
    buy: async (token: string, amount = 10n * ether): Promise<void> =>
      await buyWithNative(stack, trader, token, amount),
    /** Mines blocks until the newest block of now is final for the keeper. */
    makeFinal: async (): Promise<void> => {
      await rpc(stack, "anvil_mine", ["0x42", "0x0"]);
    },
    wethOf: async (account: string): Promise<bigint> =>
      await readHeld(stack, stack.manifest.wrapped_native.address, account),
    nonce: async (): Promise<number> =>
      Number(await rpc<Hex>(stack, "eth_getTransactionCount", [keeperWallet.address, "latest"])),
    balance: async (): Promise<bigint> =>
      BigInt(await rpc<Hex>(stack, "eth_getBalance", [keeperWallet.address, "latest"])),
    send: async (to: string, data: Hex) => await sendRaw(stack, creator, { to: to as Hex, data }),
    /** Runs the keepers of some servers with these settings while `work` runs. */
    run: async (
      work: (server: Server) => Promise<void>,
      { settings = {}, jobs = 1 }: { settings?: Record<string, string>; jobs?: number } = {},
    ): Promise<void> => {
      const server = await stack.openServer({ ...keeperSettings, ...settings });
      const started = Array.from({ length: jobs }, () => payFees(server.deps));
      try {
        await work(server);
      } finally {
        await Promise.all(started.map((job) => job.stop()));
        await server.close();
      }
    },
    /** Waits until a splitter has been checked since now. */
    untilChecked: async (splitter: string, times = 1): Promise<void> => {
      const read = async () =>
        Number(
          (
            await keeper.query(
              "select extract(epoch from checked_at) as at from app.keeper_splitters where splitter = $1",
              [splitter.toLowerCase()],
            )
          )[0]?.at ?? 0,
        );
      for (let i = 0; i < times; i++) {
        const last = await read();
        await expect.poll(read, { interval: 50 }).toBeGreaterThan(last);
      }
    },
    /** Makes a splitter due again at once. */
    forget: async (splitter: string): Promise<void> => {
      await keeper.query("delete from app.keeper_splitters where splitter = $1", [splitter.toLowerCase()]);
    },
    untilSent: async (splitter: string, count = 1): Promise<void> => {
      await expect.poll(async () => (await keeper.claims(splitter)).length, { interval: 50 }).toBe(count);
    },
    /** Makes the claims of a splitter final, and returns them. */
    untilEnded: async (splitter: string): Promise<Claim[]> => {
      const sql = `select count(*)::int as n from app.relayer_transactions t join app.keeper_claims c on c.id = t.keeper_claim_id
        where c.splitter = $1 and t.state = 'sent'`;
      await expect.poll(async () => (await keeper.query(sql, [splitter.toLowerCase()]))[0].n, { interval: 50 }).toBe(0);
      await keeper.makeFinal();
      const isEnded = async () => (await keeper.claims(splitter)).every(({ outcome }) => outcome !== null);
      await expect.poll(isEnded, { interval: 50 }).toBe(true);
      return await keeper.claims(splitter);
    },
  };
  return keeper;
}
