import { type Hex, hexToBigInt, numberToHex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { launchToken, trade, wallets, wrap } from "../support/security/actors.ts";
import { inventState } from "../support/security/inventState.ts";
import { type Call, type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { rpc } from "../support/security/startGasStack.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;
const priceMask = (1n << 160n) - 1n;

let stack: TestStack;
let liar: RpcProxy;
let second: RpcProxy;
let token: Hex;
let pool: Hex;
let invent: (call: Call) => Call;

beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token } = await launchToken(stack, creator));
  await wrap(stack, trader, 10n * oneEther);
  await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  ({ pool } = (await stack.call("GET", `/tokens/${token}`)).body);
  invent = inventState(pool, "0x0", await inventSlot());
  [liar, second] = await Promise.all([startRpcProxy(stack.chain.rpcUrl), startRpcProxy(stack.chain.rpcUrl)]);
});
afterEach(() => {
  liar.rewriteCalls((call) => call);
  second.setDown(false);
});
afterAll(async () => {
  await Promise.all([liar?.close(), second?.close()]);
  await stack?.close();
});

/** The pool's slot 0 with a token that is four times as expensive. */
async function inventSlot(): Promise<Hex> {
  const slot = hexToBigInt(await rpc<Hex>(stack, "eth_getStorageAt", [pool, "0x0", "latest"]));
  const isToken0 = BigInt(token) < BigInt(stack.manifest.wrapped_native.address);
  const price = isToken0 ? (slot & priceMask) * 2n : (slot & priceMask) / 2n;
  const tick = BigInt(Math.floor((2 * Math.log(Number(price) / 2 ** 96)) / Math.log(1.0001)));
  const rest = slot & ~priceMask & ~(0xffffffn << 160n);
  return numberToHex(rest | price | (BigInt.asUintN(24, tick) << 160n), { size: 32 });
}

async function withServer(urls: string[], work: (server: Server) => Promise<void>): Promise<void> {
  const server = await stack.openServer({ RPC_URL: urls.join(",") });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

const order = () => ({ token, wallet: trader.address, side: "buy", amount_in: `${oneEther / 10n}`, slippage_bps: 50 });
const requests = (): [path: string, body: object][] => [
  ["/trade/transactions", order()],
  ["/trade/calls", { ...order(), pay: "native" }],
  ["/trade/calls", { ...order(), side: "sell", receive: "native", amount_in: `${10n ** 21n}` }],
];

describe("C7-76", () => {
  test.each(["first", "second"])(
    "C7-76 an endpoint that invents a state of the pool lowers no minimum, as the %s of two",
    async (place) => {
      const urls = place === "first" ? [liar.url, second.url] : [second.url, liar.url];
      await withServer(urls, async (server) => {
        for (const [path, body] of requests()) {
          liar.rewriteCalls(invent);
          const lied = await server.call("POST", path, body);
          expect([path, lied.status, lied.body.error?.code]).toEqual([path, 503, "chain_unavailable"]);
          expect(lied.body.error).toMatchObject({ retryable: true });
          liar.rewriteCalls((call) => call);
          const honest = await server.call("POST", path, body);
          expect([path, honest.status, getWarnings(honest)]).toEqual([path, 200, []]);
        }
      });
    },
  );

  test("C7-76 the invented state deceives a service with one endpoint, which is why a second one confirms", async () => {
    await withServer([liar.url], async (server) => {
      const honest = await server.call("POST", "/trade/calls", requests()[1]![1]);
      liar.rewriteCalls(invent);
      const lied = await server.call("POST", "/trade/calls", requests()[1]![1]);
      expect(lied.status, JSON.stringify(lied.body)).toBe(200);
      expect(BigInt(lied.body.quote.minimum_out) * 2n).toBeLessThan(BigInt(honest.body.quote.minimum_out));
    });
  });

  test("C7-76 without an answer of the second endpoint, the trade is prepared with a warning", async () => {
    await withServer([liar.url, second.url], async (server) => {
      second.setDown(true);
      const answer = await server.call("POST", "/trade/calls", requests()[1]![1]);
      expect([answer.status, getWarnings(answer)]).toEqual([200, ["quote_unconfirmed"]]);
    });
  });
});

const getWarnings = ({ body }: { body: any }) => body.warnings.map(({ code }: { code: string }) => code);
