import { processTopUps } from "@slipway/server/features/gas/processTopUps";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";
import {
  askQuote,
  type GasStack,
  gasSettings,
  nativeBalance,
  relayerNonce,
  rpc,
  sendFrom,
  signedTopUp,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();

const relayer = getWallet("relayer");
const getCount = ({ method, params }: { method: string; params?: unknown[] }) =>
  method === "eth_getTransactionCount" && String(params?.[0]).toLowerCase() === relayer.address.toLowerCase();

async function signed(gasLimit = 100_000) {
  const person = await gas.newWallet();
  const { body: quote } = await askQuote(gas.server, person, gasLimit);
  return { person, quote, body: await signedTopUp(person, quote) };
}

const getState = async (quoteId: string): Promise<string | undefined> => {
  const query = "select state from app.relayer_transactions where quote_id = $1";
  return (await gas.stack.deps.db.read.query<{ state: string }>(query, [quoteId])).rows[0]?.state;
};

/** A server whose endpoint reports more sent transactions of the relayer than there are. */
async function withLyingEndpoint(more: number, work: (server: GasStack["server"]) => Promise<void>): Promise<void> {
  const proxy = await startRpcProxy(gas.stack.chain.rpcUrl);
  const truth = await relayerNonce(gas.stack);
  proxy.answerWith((call) => (getCount(call) ? { result: `0x${(truth + more).toString(16)}` } : undefined));
  const server = await gas.stack.openServer({ ...gasSettings, RPC_URL: proxy.url });
  try {
    await work(server);
  } finally {
    await server.close();
    await proxy.close();
  }
}

describe("C7-15", () => {
  test("C7-15 a top-up whose nonce somebody else used with the relayer's key fails, and the next one is paid", async () => {
    const { stack, server } = gas;
    const { person, quote, body } = await signed();
    await gas.pauseJob(async () => {
      await rpc(stack, "evm_setAutomine", [false]);
      const sent = await topUp(server, body);
      expect(sent.status).toBe(200);
      await rpc(stack, "anvil_dropTransaction", [sent.body.hash]);
      await rpc(stack, "evm_setAutomine", [true]);
      await sendFrom(stack, relayer, { to: relayer.address, data: "0x" });
      // As if the minute had passed in which the count may be ahead of the receipts.
      await stack.deps.db.api.query(
        `update app.relayer_attempts set created_at = created_at - interval '2 minutes' where transaction_id in
           (select id from app.relayer_transactions where quote_id = $1)`,
        [quote.quote_id],
      );
    });
    await expect.poll(() => getState(quote.quote_id)).toBe("failed");
    expect(await nativeBalance(stack, person.address)).toBe(0n);
    const next = await signed();
    const { body: paid } = await topUp(server, next.body);
    expect((await untilSettled(server, paid.hash)).body.status).toBe("confirmed");
    expect(await nativeBalance(stack, next.person.address)).toBe(BigInt(next.quote.eth_amount));
  });

  test("C7-15 a nonce that an endpoint named too high leaves a gap, which is filled: the top-up is paid all the same", async () => {
    const { stack } = gas;
    const { person, quote, body } = await signed();
    const before = await relayerNonce(stack);
    const lines: string[] = [];
    await withLyingEndpoint(3, async (liar) => {
      const sent = await topUp(liar, body);
      expect(sent.status).toBe(200);
      expect(await relayerNonce(stack)).toBe(before);
      const honest = await stack.openServer({ ...gasSettings, RELAYER_STUCK_MS: "200" });
      honest.deps.log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
      const job = processTopUps(honest.deps);
      try {
        await expect.poll(() => getState(quote.quote_id)).toBe("confirmed");
      } finally {
        await job.stop();
        await honest.close();
      }
    });
    expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
    expect(await relayerNonce(stack)).toBe(before + 4);
    expect(lines.join("")).toContain("relayer nonce gap filled");
  });

  test("C7-15 a nonce that an endpoint names far too high is not believed: nothing is sent, nothing used up", async () => {
    const { stack, server } = gas;
    const { quote, body } = await signed();
    const before = await relayerNonce(stack);
    await withLyingEndpoint(1_000, async (liar) => {
      const refused = await topUp(liar, body);
      expect([refused.status, refused.body.error.code]).toEqual([503, "gas_station_unavailable"]);
    });
    expect(await getState(quote.quote_id)).toBeUndefined();
    expect(await relayerNonce(stack)).toBe(before);
    const sent = await topUp(server, body);
    expect(sent.status).toBe(200);
    expect((await untilSettled(server, sent.body.hash)).body.status).toBe("confirmed");
  });
});
