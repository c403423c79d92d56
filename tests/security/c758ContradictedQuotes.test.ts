import { quoterAbi } from "@slipway/protocol/uniswap";
import { type Hex, hexToBigInt, numberToHex, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { type AggregatedRead, changeReads } from "../support/security/changeReads.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;
const quoterSelectors = quoterAbi.map((entry) => toFunctionSelector(entry));

let stack: TestStack;
let liar: RpcProxy;
let token: Hex;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token } = await launchToken(stack, creator));
  await wrap(stack, trader, 10n * oneEther);
  // Leaves an allowance of the wrapped native asset and of the token, so that every request is for the swap.
  await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  for (const [side, amount] of [
    ["buy", oneEther],
    ["sell", 10n ** 24n],
  ] as const) {
    const order = { token, wallet: trader.address, side, amount_in: amount.toString(), slippage_bps: 50 };
    await sendWithViem(stack, await stack.call("POST", "/trade/transactions", order), trader);
  }
  liar = await startRpcProxy(stack.chain.rpcUrl);
});
afterAll(async () => {
  await liar?.close();
  await stack?.close();
});

/** Multiplies the amount of every quote. */
const scaleQuotes = (numerator: bigint, denominator: bigint) =>
  changeReads(({ callData, returnData }: AggregatedRead) => {
    if (!quoterSelectors.includes(callData.slice(0, 10) as Hex) || returnData.length < 66) return undefined;
    const amount = (hexToBigInt(returnData.slice(0, 66) as Hex) * numerator) / denominator;
    return `${numberToHex(amount, { size: 32 })}${returnData.slice(66)}`;
  });

const withoutTransfers = ({ method }: { method: string }) =>
  method === "eth_simulateV1" || method === "debug_traceCall"
    ? { error: { code: -32601, message: "Method not found" } }
    : undefined;

const exactInput = (side: "buy" | "sell", amount: bigint) => ({
  token,
  wallet: trader.address,
  side,
  amount_in: amount.toString(),
  slippage_bps: 50,
});

const listRequests = (): [path: string, body: object][] => [
  ["/trade/transactions", exactInput("buy", oneEther / 10n)],
  ["/trade/transactions", exactInput("sell", 10n ** 21n)],
  ["/trade/calls", { ...exactInput("buy", oneEther / 10n), pay: "native" }],
  ["/trade/calls", { ...exactInput("buy", 2n * oneEther) }],
  ["/trade/calls", { ...exactInput("sell", 10n ** 21n), receive: "native" }],
  [
    "/trade/calls",
    {
      token,
      wallet: trader.address,
      side: "buy",
      pay: "native",
      amount_out: `${10n ** 21n}`,
      maximum_in: `${oneEther}`,
    },
  ],
];

async function withServer(urls: string[], work: (server: Server) => Promise<void>): Promise<void> {
  const server = await stack.openServer({ RPC_URL: urls.join(",") });
  try {
    await work(server);
  } finally {
    await server.close();
    liar.answerWith(() => undefined);
  }
}

describe("C7-58", () => {
  test("C7-58 a swap whose simulation contradicts its quote is refused, and the same request works with an honest quote", async () => {
    await withServer([liar.url], async (server) => {
      for (const [path, body] of listRequests()) {
        liar.answerWith(scaleQuotes(1n, 1_000n));
        const { status, body: answer } = await server.call("POST", path, body);
        expect([path, body, status, answer.error?.code]).toEqual([path, body, 503, "chain_unavailable"]);
        expect(answer.error).toMatchObject({ retryable: true, details: { quoted: {}, simulated: {} } });
        expect(answer.transaction).toBeUndefined();
        expect(answer.calls).toBeUndefined();

        liar.answerWith(() => undefined);
        const honest = await server.call("POST", path, body);
        expect([path, body, honest.status]).toEqual([path, body, 200]);
      }
    });
  });

  test("C7-58 a quote that is a millionth too low is refused too", async () => {
    await withServer([liar.url], async (server) => {
      liar.answerWith(scaleQuotes(999_999n, 1_000_000n));
      const [path, body] = listRequests()[0]!;
      expect((await server.call("POST", path, body)).body.error?.code).toBe("chain_unavailable");
    });
  });

  test("C7-58 also if the node reports no transfers: the router's return value contradicts the quote", async () => {
    await withServer([liar.url], async (server) => {
      const lie = scaleQuotes(1n, 1_000n);
      const request = exactInput("buy", oneEther / 10n);
      liar.answerWith((call, real) => withoutTransfers(call) ?? lie(call, real));
      const { status, body } = await server.call("POST", "/trade/transactions", request);
      expect([status, body.error?.code]).toEqual([503, "chain_unavailable"]);

      liar.answerWith(withoutTransfers);
      const honest = await server.call("POST", "/trade/transactions", request);
      expect(honest.body).toMatchObject({ action: "swap", warnings: [{ code: "asset_changes_unknown" }] });
    });
  });

  test("C7-58 the minimum of a prepared swap follows from what the simulation yields", async () => {
    await withServer([liar.url, stack.chain.rpcUrl], async (server) => {
      const [path, body] = listRequests()[0]!;
      const { body: answer } = await server.call("POST", path, body);
      const received = answer.simulation.asset_changes.find(({ asset }: { asset: string }) => asset === token);
      expect(BigInt(answer.quote.minimum_out)).toBe((BigInt(received.amount) * 9_950n) / 10_000n);
    });
  });
});
