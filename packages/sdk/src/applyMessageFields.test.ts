import type { IndexedToken, IndexedTokens } from "@slipway/protocol/indexed";
import { expect, test } from "vitest";
import { applyMessage } from "./applyMessage.ts";
import type { LiveMessage } from "./resumeStream.ts";

type Source =
  /** `addToDay` of applyMessage.ts changes the field after a trade. */
  | "trade"
  /** `withPrice` changes the field after a candle; the price only if the candle has its currency. */
  | "candle"
  | "usd candle"
  | "eth candle"
  /** No message carries the field: it is old until the view is read again, as `refetch: "later"` demands. */
  | "refetch"
  /** The field does not change with trades. */
  | "constant";

/** A new field of the listed token does not compile until it is here; the test checks that applyMessage agrees. */
const sources = {
  address: "constant",
  chain_id: "constant",
  name: "constant",
  symbol: "constant",
  decimals: "constant",
  image_url: "constant",
  image: "constant",
  pool: "constant",
  quote_token: "constant",
  fee_bps: "constant",
  fee_policy: "constant",
  creator: "constant",
  launched_at: "constant",
  block_number: "constant",
  tx_hash: "constant",
  source: "constant",
  featured: "constant",
  price_usd: "usd candle",
  price_eth: "eth candle",
  price_eth_exact: "refetch",
  market_cap_usd: "usd candle",
  fdv_usd: "usd candle",
  liquidity_usd: "refetch",
  volume_24h_usd: "trade",
  price_change_24h_pct: "candle",
  buys_24h: "trade",
  sells_24h: "trade",
  traders_24h: "refetch",
  holders: "refetch",
  facts: "refetch",
  warnings: "refetch",
} satisfies Record<keyof IndexedToken, Source>;

const address = "0x00000000000000000000000000000000000000Aa";

const token: IndexedToken = {
  address,
  chain_id: 1,
  name: "Ferry",
  symbol: "FRY",
  decimals: 18,
  image_url: null,
  image: null,
  pool: null,
  quote_token: null,
  fee_bps: 100,
  fee_policy: null,
  creator: null,
  launched_at: null,
  block_number: 1,
  tx_hash: null,
  source: "own",
  featured: false,
  price_usd: 2,
  price_eth: 2,
  price_eth_exact: "2",
  market_cap_usd: 10,
  fdv_usd: 20,
  liquidity_usd: 5,
  volume_24h_usd: 1,
  price_change_24h_pct: 100,
  buys_24h: 1,
  sells_24h: 1,
  traders_24h: 1,
  holders: 1,
  facts: {
    creator_share_pct: null,
    creator_sold_pct: null,
    creator_transferred_out_pct: null,
    launch_block_bought_pct: null,
    launch_block_buyers: null,
    launch_block_held_pct: null,
    holders_without_buy: null,
    round_trips_300s_pct: null,
    earlier_launches: null,
  },
  warnings: [],
};

const trade = (side: "buy" | "sell"): LiveMessage => ({
  type: "trade",
  cursor: "1",
  data: {
    token: address,
    trade: {
      id: `0x${"01".repeat(32)}:0`,
      tx_hash: `0x${"01".repeat(32)}`,
      log_index: 0,
      block_number: 7,
      block_timestamp: "2026-01-01T00:00:00.000Z",
      side,
      maker: address,
      recipient: address,
      account: address,
      account_source: "transfers",
      token_amount: "1",
      quote_amount: "1",
      price_eth: 3,
      price_eth_exact: "3",
      price_usd: 3,
      volume_usd: 3,
    },
  },
});

const candle = (quote: "usd" | "eth"): LiveMessage => ({
  type: "candle",
  cursor: "1",
  data: {
    token: address,
    interval: "1m",
    quote,
    candle: { t: 0, o: 2, h: 3, l: 2, c: 3, v: 1, vq: 1, n: 1, buys: 1, sells: 0, traders: null },
  },
});

/** Applies messages one by one to the token, each to the original, and returns the fields that any of them changes. */
function findChanged(messages: LiveMessage[]): Set<string> {
  const as_of = { block_number: 6, timestamp: "2026-01-01T00:00:00.000Z", finality: "soft" as const };
  const data: IndexedTokens = { items: [token], total: 1, quote: "usd", as_of, next_cursor: null };
  const changed = messages.flatMap((message) => {
    const { data: after, refetch } = applyMessage({ kind: "tokens", data }, message);
    expect(refetch).toBe("later");
    const [row] = (after as IndexedTokens).items;
    return Object.keys(sources).filter(
      (field) => row![field as keyof IndexedToken] !== token[field as keyof IndexedToken],
    );
  });
  return new Set(changed);
}

const list = (...chosen: Source[]) =>
  new Set(Object.entries(sources).flatMap(([field, source]) => (chosen.includes(source) ? [field] : [])));

test("a trade changes exactly the fields of a listed token that trades carry", () => {
  expect(findChanged([trade("buy"), trade("sell")])).toEqual(list("trade"));
});

test("a candle changes exactly the fields of a listed token that its currency determines", () => {
  expect(findChanged([candle("usd")])).toEqual(list("candle", "usd candle"));
  expect(findChanged([candle("eth")])).toEqual(list("candle", "eth candle"));
});
