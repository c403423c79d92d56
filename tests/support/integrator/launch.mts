/**
 * The main job as an integrator writes it, over a client that was generated from the service's OpenAPI document: list
 * tokens, read candles, store a draft, deploy its splitter, launch, trade and claim the fees. Compiled and run by
 * tests/conformance/generatedClient.test.ts, beside the generated `slipway.d.ts`.
 */
import { Contract, hexlify, JsonRpcProvider, randomBytes, type TransactionReceipt, Wallet } from "ethers";
import createClient from "openapi-fetch";
import type { components, paths } from "./slipway.d.ts";

type Schemas = components["schemas"];
type Prepared = Schemas["UnsignedResult"];

/** Compiles only where both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => undefined;

same<Schemas["IndexedToken"]["price_usd"], number | null>(true);
same<Schemas["IndexedToken"]["source"], "own" | "legacy">(true);
same<Schemas["IndexedCandle"]["v"], number | null>(true);
same<Schemas["IndexedCandles"]["next_before"], number | null>(true);
same<Schemas["OracleObservation"]["reason"], "no_pool" | "thin_liquidity" | "stale" | "deviation" | null>(true);
same<Prepared["transaction"], Schemas["Transaction"] | null>(true);
same<Prepared["status"], "ready" | "nothing_to_do">(true);
same<Schemas["GasQuote"]["next"], string | null>(true);
same<Schemas["Intent"]["chain_id"], 4663 | 46630>(true);
same<Extract<Schemas["StreamMessage"], { event: "trade" }>["data"]["trade"], Schemas["IndexedTrade"]>(true);
same<NonNullable<paths["/api/v1/launchpad/tokens"]["get"]["parameters"]["query"]>["limit"], number | undefined>(true);

const { SITE_URL, API_KEY, RPC_URL, CREATOR_KEY, TRADER_KEY } = process.env as Record<string, string>;
const client = createClient<paths>({ baseUrl: SITE_URL!, headers: { authorization: `Bearer ${API_KEY!}` } });
const provider = new JsonRpcProvider(RPC_URL!, undefined, { pollingInterval: 40, cacheTimeout: -1 });
const creator = new Wallet(CREATOR_KEY!, provider);
const trader = new Wallet(TRADER_KEY!, provider);

/** The data of an answer; an error is thrown with its code. */
async function get<T>(request: Promise<{ data?: T; error?: Schemas["Error"] }>): Promise<T> {
  const { data, error } = await request;
  if (error !== undefined) throw new Error(`${error.error.code}: ${error.error.message}`);
  return data as T;
}

/** Signs and sends a prepared transaction, and waits for its receipt. */
async function send(wallet: Wallet, { transaction }: Prepared): Promise<TransactionReceipt> {
  if (transaction === null) throw new Error("there is nothing to sign");
  const { to, data, value, gas } = transaction;
  const sent = await wallet.sendTransaction({ ...(to !== undefined && { to }), data, value, gasLimit: gas });
  const receipt = await sent.wait();
  if (receipt?.status !== 1) throw new Error(`${sent.hash} failed`);
  return receipt;
}

/** Repeats a request while it has no result. */
async function poll<T>(request: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 40))) {
    const result = await request();
    if (result !== null) return result;
  }
  throw new Error("no result within a minute");
}

const config = await get(client.GET("/api/v1/launchpad/config"));
const listed = await get(client.GET("/api/v1/launchpad/tokens", { params: { query: { sort: "new", limit: 5 } } }));
const oldest = listed.items.at(-1)!;
const history = await get(
  client.GET("/api/v1/launchpad/tokens/{address}/candles", {
    params: { path: { address: oldest.address }, query: { interval: "1m", limit: 10 } },
  }),
);

const intent: Schemas["Intent"] = {
  name: "Integrator Ferry",
  symbol: "FERRY",
  image_uri: "https://cdn.example/ferry.png",
  chain_id: config.chain_id as Schemas["Intent"]["chain_id"],
  recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
};
const drafting = { params: { header: { "Idempotency-Key": `ferry-${Date.now()}` } }, body: intent };
const stored = await client.POST("/api/v1/launchpad/intents", drafting);
const retried = await client.POST("/api/v1/launchpad/intents", drafting);
const draft = await get(Promise.resolve(stored));

const splitterStep = await get(
  client.POST("/api/v1/launchpad/splits/transactions", { body: { intent_id: draft.id, wallet: creator.address } }),
);
const { contractAddress: splitter } = await send(creator, splitterStep);
const launchStep = await get(
  client.POST("/api/v1/launchpad/launch/transactions", {
    body: { intent_id: draft.id, wallet: creator.address, splitter: splitter!, salt: hexlify(randomBytes(32)) },
  }),
);
await send(creator, launchStep);
const address = launchStep.expected!.token!;
const launched = await poll(async () => {
  const { data, error } = await client.GET("/api/v1/launchpad/tokens/{address}", { params: { path: { address } } });
  if (error !== undefined && error.error.code !== "token_not_indexed") throw new Error(error.error.code);
  return data ?? null;
});

const weth = new Contract(config.contracts.wrapped_native!, ["function deposit() payable"], trader);
await (await weth.getFunction("deposit").send({ value: 10n ** 17n })).wait();
const order = { token: address, wallet: trader.address, side: "buy", amount_in: String(10n ** 17n) } as const;
const body: Schemas["TradeRequest"] = { ...order, slippage_bps: 300 };
const quoted = await get(client.POST("/api/v1/launchpad/trade/quote", { body }));
const prepareTrade = () => get(client.POST("/api/v1/launchpad/trade/transactions", { body }));
const approval = await prepareTrade();
await send(trader, approval);
const swap = await prepareTrade();
const { hash } = await send(trader, swap);
const trade = await poll(async () => {
  const { items } = await get(
    client.GET("/api/v1/launchpad/tokens/{address}/trades", { params: { path: { address } } }),
  );
  return items.find(({ tx_hash }) => tx_hash === hash) ?? null;
});

const claim = (stage: Schemas["ClaimRequest"]["stage"]) =>
  get(
    client.POST("/api/v1/launchpad/fees/claim-transactions", {
      body: { token: address, wallet: creator.address, stage },
    }),
  );
for (const stage of ["collect", "settle", "release"] as const) await send(creator, await claim(stage));
const again = await claim("release");
const positions = await get(
  client.GET("/api/v1/launchpad/fees/positions", { params: { query: { token: address, wallet: creator.address } } }),
);
const refused = await client.GET("/api/v1/launchpad/tokens", { params: { query: { limit: 301 } } });
provider.destroy();

const result = {
  listed: listed.items.length,
  historyInterval: history.interval,
  draftStatuses: [stored.response.status, retried.response.status],
  retriedId: retried.data?.id === draft.id,
  actions: [splitterStep, launchStep, approval, swap, again].map(({ action }) => action),
  splitter: splitter === splitterStep.expected?.splitter,
  name: launched.name,
  priceIsKnown: launched.price_usd !== null,
  bought: trade.token_amount === quoted.amount_out,
  again: [again.status, again.transaction],
  claimed: positions.balances.map(({ symbol, claimed }) => `${symbol} ${BigInt(claimed) > 0n}`),
  refused: refused.error?.error.code,
};
process.stdout.write(JSON.stringify(result));
