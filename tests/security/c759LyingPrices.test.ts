import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import {
  decodeFunctionResult,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  numberToHex,
  toFunctionSelector,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AggregatedRead, changeReads } from "../support/security/changeReads.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import {
  askQuote,
  gasSettings,
  type Person,
  relayerNonce,
  rpc,
  signedTopUp,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();
let liar: RpcProxy;
beforeAll(async () => {
  liar = await startRpcProxy(gas.stack.chain.rpcUrl);
});
afterAll(async () => {
  await liar?.close();
});

const selectors = Object.fromEntries(
  [...poolAbi, ...quoterAbi].map((entry) => [entry.name, toFunctionSelector(entry)]),
) as Record<string, Hex>;

/** The logarithm of 1,000 to the base 1.0001. */
const ticksOfThousand = 69_081n;
/** The square root of 1,000, in thousandths. */
const rootOfThousand = 31_623n;

/** Divides native's price by a thousand in the quoter, the pool and its oracle, so that the three agree. */
function lie({ callData, returnData }: AggregatedRead): Hex | undefined {
  const { wrapped_native, eth_usd } = gas.stack.manifest;
  const nativeIsToken0 = BigInt(wrapped_native.address) < BigInt(eth_usd!.stablecoin.address);
  const selector = callData.slice(0, 10);
  if (returnData.length < 66) return undefined;
  const firstWord = hexToBigInt(returnData.slice(0, 66) as Hex);
  const rest = returnData.slice(66);
  if (selector === selectors.quoteExactOutputSingle) {
    return `${numberToHex(firstWord / 1_000n, { size: 32 })}${rest}`;
  }
  if (selector === selectors.slot0) {
    const root = nativeIsToken0 ? (firstWord * 1_000n) / rootOfThousand : (firstWord * rootOfThousand) / 1_000n;
    return `${numberToHex(root, { size: 32 })}${rest}`;
  }
  if (selector === selectors.liquidity) return numberToHex(firstWord * 1_000n, { size: 32 });
  if (selector !== selectors.observe) return undefined;
  const observe = { abi: poolAbi, functionName: "observe" } as const;
  const [[before, after], seconds] = decodeFunctionResult({ ...observe, data: returnData });
  const shift = nativeIsToken0 ? -ticksOfThousand : ticksOfThousand;
  return encodeFunctionResult({ ...observe, result: [[before!, after! + shift], seconds] });
}

/** Opens a server with endpoints in this order. */
async function withServer(urls: string[], work: (server: Server) => Promise<void>): Promise<void> {
  const server = await gas.stack.openServer({ ...gasSettings, RPC_URL: urls.join(",") });
  try {
    await work(server);
  } finally {
    await server.close();
    liar.answerWith(() => undefined);
    liar.setDown(false);
  }
}

const refusal = (answer: { status: number; body: any }) => [answer.status, answer.body.error?.code];
const unavailable = [503, "gas_station_unavailable"];

/** A quote at a thousandth of its price, as a server of an earlier version would have stored it, with its signatures. */
async function signCheapQuote(server: Server, person: Person): Promise<Record<string, unknown>> {
  const { body: quote } = await askQuote(server, person);
  const cheap = (BigInt(quote.token_amount) / 1_000n).toString();
  await gas.stack.deps.db.api.query("update app.gas_quotes set token_amount = $2 where id = $1", [
    quote.quote_id,
    cheap,
  ]);
  const withAmount = (typed: any, field: string) => ({ ...typed, message: { ...typed.message, [field]: cheap } });
  return await signedTopUp(person, {
    ...quote,
    typed_data: withAmount(quote.typed_data, "tokenAmount"),
    permit_typed_data: withAmount(quote.permit_typed_data, "value"),
  });
}

describe("C7-59", () => {
  test("C7-59 one lying endpoint of two sells no native, in either order of the endpoints", async () => {
    const honest = gas.stack.chain.rpcUrl;
    const nonce = await relayerNonce(gas.stack);
    for (const urls of [
      [liar.url, honest],
      [honest, liar.url],
    ]) {
      await withServer(urls, async (server) => {
        const person = await gas.newWallet();
        const body = await signCheapQuote(server, person);
        liar.answerWith(changeReads(lie));
        expect(refusal(await askQuote(server, person))).toEqual(unavailable);
        expect(refusal(await topUp(server, body))).toEqual(unavailable);
      });
    }
    expect(await relayerNonce(gas.stack)).toBe(nonce);
  });

  test("C7-59 a single endpoint cannot set the price either: the price must agree with the index", async () => {
    const nonce = await relayerNonce(gas.stack);
    await withServer([liar.url], async (server) => {
      const person = await gas.newWallet();
      const body = await signCheapQuote(server, person);
      liar.answerWith(changeReads(lie));
      expect(refusal(await askQuote(server, person))).toEqual(unavailable);
      expect(refusal(await topUp(server, body))).toEqual(unavailable);
    });
    expect(await relayerNonce(gas.stack)).toBe(nonce);
  });

  test("C7-59 the price needs both endpoints, if two are configured: one that does not respond closes the station", async () => {
    await withServer([gas.stack.chain.rpcUrl, liar.url], async (server) => {
      const person = await gas.newWallet();
      liar.setDown(true);
      expect((await askQuote(server, person)).status).toBe(503);
    });
  });

  test("C7-61 one lying endpoint of two cannot make the relayer pay a tip", async () => {
    const honest = gas.stack.chain.rpcUrl;
    const gasPrice = BigInt(await rpc<string>(gas.stack, "eth_gasPrice"));
    for (const urls of [
      [liar.url, honest],
      [honest, liar.url],
    ]) {
      await withServer(urls, async (server) => {
        const person = await gas.newWallet();
        const body = await signedTopUp(person, (await askQuote(server, person)).body);
        liar.answerWith(({ method }) =>
          method === "eth_gasPrice" ? { result: numberToHex(gasPrice * 1_000n) } : undefined,
        );
        const { body: sent } = await topUp(server, body);
        const transaction = await rpc<Record<string, Hex>>(gas.stack, "eth_getTransactionByHash", [sent.hash]);
        expect(hexToBigInt(transaction.maxPriorityFeePerGas!)).toBeLessThan(gasPrice * 2n);
        expect((await untilSettled(server, sent.hash)).body.status).toBe("confirmed");
      });
    }
  });

  test("C7-59 two honest endpoints sell at the price of one", async () => {
    const person = await gas.newWallet();
    const { body: single } = await askQuote(gas.server, person);
    await withServer([liar.url, gas.stack.chain.rpcUrl], async (server) => {
      const { status, body: quote } = await askQuote(server, person);
      expect([status, quote.token_amount]).toEqual([200, single.token_amount]);
      const { body: sent } = await topUp(server, await signedTopUp(person, quote));
      expect((await untilSettled(server, sent.hash)).body.status).toBe("confirmed");
    });
  });
});
