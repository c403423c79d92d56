import type {
  IndexedCandle,
  IndexedCandles,
  IndexedToken,
  IndexedTokens,
  IndexedTrade,
  IndexedTrades,
  TokenDetail,
} from "@slipway/protocol/indexed";
import type { OpeningDeposits, OpeningDetail } from "@slipway/protocol/openings";
import type { LiveMessage } from "./resumeStream.ts";

/** An answer of the API that messages keep current. `limit` is the requested limit; `opening` the address of an opening. */
export type LiveView =
  | { kind: "token"; data: TokenDetail }
  | { kind: "tokens"; data: IndexedTokens }
  | { kind: "trades"; token: string; limit: number; data: IndexedTrades }
  | { kind: "candles"; token: string; limit: number; data: IndexedCandles }
  | { kind: "opening"; opening: string; data: OpeningDetail | OpeningDeposits };

/**
 * The view after a message; the same object if nothing changed. `refetch` is when to load the view again over REST: `now`
 * if a message cannot express the change; `later` if figures that no message carries, such as liquidity and the ends of
 * windows, are old or estimated; null if the view equals the answer of REST.
 */
export type Applied<Data> = { data: Data; refetch: "now" | "later" | null };

type MessageOf<Type extends LiveMessage["type"]> = Extract<LiveMessage, { type: Type }>["data"];

/** The maximum number of trades in `TokenDetail`. */
const detailTrades = 50;

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const includes = (addresses: readonly string[], address: string) => addresses.some((one) => isSame(one, address));

/**
 * Applies a message of a stream to a view. Pure. Messages that the view already contains can be applied again: together
 * with the following messages, the result is the same.
 *
 * @example
 * const { data, refetch } = applyMessage({ kind: "token", data: detail }, message);
 */
export function applyMessage<View extends LiveView>(view: View, message: LiveMessage): Applied<View["data"]> {
  if (message.type === "snapshot") return { data: view.data, refetch: "now" };
  switch (view.kind) {
    case "token":
      return applyToDetail(view.data, message);
    case "tokens":
      return applyToList(view.data, message);
    case "trades":
      return applyToTrades(view, message);
    case "candles":
      return applyToCandles(view, message);
    case "opening":
      return { data: view.data, refetch: findOpeningRefetch(view.opening, message) };
  }
}

/** Returns when to load an opening or its deposits again: no message carries the parts of all depositors. */
function findOpeningRefetch(opening: string, message: LiveMessage): Applied<unknown>["refetch"] {
  if (message.type === "opening") return isSame(message.data.opening, opening) ? "later" : null;
  return message.type === "retracted" && includes(message.data.openings ?? [], opening) ? "now" : null;
}

function applyToTrades(view: Extract<LiveView, { kind: "trades" }>, message: LiveMessage): Applied<IndexedTrades> {
  const { token, limit, data } = view;
  if (message.type === "trade" && isSame(message.data.token, token)) {
    const items = insertTrade(data.items, message.data.trade, limit);
    if (items === data.items) return { data, refetch: null };
    const isCut = data.next_before !== undefined && items.at(-1) !== data.items.at(-1) && items.length === limit;
    return { data: { ...data, items, ...(isCut && { next_before: items.at(-1)!.id }) }, refetch: null };
  }
  if (message.type !== "retracted") return { data, refetch: null };
  const items = withoutTrades(data.items, message.data);
  // A full list lacks the trades that move up.
  const refetch = items === data.items || data.items.length < limit ? null : "now";
  return { data: items === data.items ? data : { ...data, items }, refetch };
}

function applyToCandles(view: Extract<LiveView, { kind: "candles" }>, message: LiveMessage): Applied<IndexedCandles> {
  const { token, limit, data } = view;
  if (message.type === "retracted") return { data, refetch: includes(message.data.tokens, token) ? "now" : null };
  if (message.type !== "candle" || !isSame(message.data.token, token) || message.data.interval !== data.interval) {
    return { data, refetch: null };
  }
  // A chart has one currency.
  if (message.data.quote !== data.quote) return { data, refetch: "now" };
  const items = insertCandle(data, message.data.candle, limit);
  const isCut = items.length > 0 && items[0]!.t > (data.items[0]?.t ?? Infinity);
  return { data: { ...data, items, ...(isCut && { next_before: items[0]!.t }) }, refetch: null };
}

function applyToDetail(data: TokenDetail, message: LiveMessage): Applied<TokenDetail> {
  switch (message.type) {
    case "trade":
      return isSame(message.data.token, data.address)
        ? addTradeToDetail(data, message.data.trade)
        : { data, refetch: null };
    case "candle":
      return isSame(message.data.token, data.address)
        ? { data: withWindowPrices(data, message.data), refetch: "later" }
        : { data, refetch: null };
    case "launch":
      return { data, refetch: isSame(message.data.address, data.address) ? "now" : null };
    case "retracted":
      if (!includes([...message.data.tokens, ...message.data.launches], data.address)) return { data, refetch: null };
      return { data: { ...data, trades: withoutTrades(data.trades, message.data) }, refetch: "now" };
    default:
      return { data, refetch: null };
  }
}

function addTradeToDetail(data: TokenDetail, trade: IndexedTrade): Applied<TokenDetail> {
  const trades = insertTrade(data.trades, trade, detailTrades);
  if (trades === data.trades) return { data, refetch: null };
  // The figures of an answer include its newest trades; only newer trades change them.
  if (trades[0] !== trade) return { data: { ...data, trades }, refetch: null };
  const { m5, h1, h6, h24 } = data.windows;
  const windows = {
    m5: addToWindow(m5, trade),
    h1: addToWindow(h1, trade),
    h6: addToWindow(h6, trade),
    h24: addToWindow(h24, trade),
  };
  const as_of = {
    block_number: trade.block_number,
    timestamp: trade.block_timestamp,
    finality: "soft" as const,
  };
  return { data: { ...addToDay(data, trade), trades, windows, as_of }, refetch: "later" };
}

function applyToList(data: IndexedTokens, message: LiveMessage): Applied<IndexedTokens> {
  switch (message.type) {
    case "trade": {
      const { token, trade } = message.data;
      // The figures of the list belong to its `as_of`.
      if (trade.block_number <= data.as_of.block_number) return { data, refetch: null };
      return changeRow(data, token, (row) => addToDay(row, trade));
    }
    case "candle":
      return changeRow(data, message.data.token, (row) => withPrice(row, message.data));
    case "launch":
      return {
        data,
        refetch: data.items.some(({ address }) => isSame(address, message.data.address)) ? null : "later",
      };
    case "retracted": {
      const { launches, tokens } = message.data;
      const items = data.items.filter(({ address }) => !includes(launches, address));
      const isChanged = launches.length > 0 || items.some(({ address }) => includes(tokens, address));
      return { data: isChanged ? { ...data, items } : data, refetch: isChanged ? "now" : null };
    }
    default:
      return { data, refetch: null };
  }
}

function changeRow(
  data: IndexedTokens,
  token: string,
  change: (row: IndexedToken) => IndexedToken,
): Applied<IndexedTokens> {
  const index = data.items.findIndex(({ address }) => isSame(address, token));
  if (index === -1) return { data, refetch: null };
  return { data: { ...data, items: data.items.with(index, change(data.items[index]!)) }, refetch: "later" };
}

/** Whether a trade is later on the chain than another. */
function isLater(a: IndexedTrade, b: IndexedTrade): boolean {
  return a.block_number > b.block_number || (a.block_number === b.block_number && a.log_index > b.log_index);
}

/** Adds a trade to trades, newest first, unless they contain it or it is older than all trades of a full list. */
function insertTrade(items: IndexedTrade[], trade: IndexedTrade, limit: number): IndexedTrade[] {
  const known = items.find(({ id }) => id === trade.id);
  if (known?.block_number === trade.block_number) return items;
  // Another block now contains the transaction.
  const others = known === undefined ? items : items.filter((item) => item !== known);
  const found = others.findIndex((item) => isLater(trade, item));
  const place = found === -1 ? others.length : found;
  return place >= limit ? items : others.toSpliced(place, 0, trade).slice(0, limit);
}

function withoutTrades(items: IndexedTrade[], { trades }: MessageOf<"retracted">): IndexedTrade[] {
  const gone = new Set(trades);
  return items.some(({ id }) => gone.has(id)) ? items.filter(({ id }) => !gone.has(id)) : items;
}

/** Replaces or adds a candle in candles, oldest first; ignores one that belongs to an earlier page. */
function insertCandle({ items, next_before }: IndexedCandles, candle: IndexedCandle, limit: number): IndexedCandle[] {
  const place = items.findLastIndex(({ t }) => t <= candle.t);
  if (items[place]?.t === candle.t) return items.with(place, candle);
  if (place === -1 && (next_before !== null || items.length >= limit)) return items;
  return items.toSpliced(place + 1, 0, candle).slice(-limit);
}

type Window = TokenDetail["windows"]["m5"];
type Side = IndexedTrade["side"];

const add = (sum: number | null, value: number | null) => (sum === null || value === null ? sum : sum + value);
const addIf = (isCounted: boolean, sum: number | null) => (sum === null || !isCounted ? sum : sum + 1);

function addToWindow(window: Window, { side, volume_usd }: { side: Side; volume_usd: number | null }): Window {
  return {
    ...window,
    volume_usd: add(window.volume_usd, volume_usd),
    buys: addIf(side === "buy", window.buys),
    sells: addIf(side === "sell", window.sells),
  };
}

function addToDay<Token extends IndexedToken>(token: Token, { side, volume_usd }: IndexedTrade): Token {
  return {
    ...token,
    volume_24h_usd: add(token.volume_24h_usd, volume_usd),
    buys_24h: addIf(side === "buy", token.buys_24h),
    sells_24h: addIf(side === "sell", token.sells_24h),
  };
}

/** Returns the price of a candle message divided by the token's price; 1 if the token has no price in this currency. */
function getPriceRatio(token: IndexedToken, { quote, candle }: MessageOf<"candle">): number {
  const before = quote === "usd" ? token.price_usd : token.price_eth;
  return before === null || before === 0 ? 1 : candle.c / before;
}

/** Applies a ratio of prices to a change of the price in percent. */
const scaleChange = (percent: number | null, ratio: number) =>
  percent === null ? null : (1 + percent / 100) * ratio * 100 - 100;

/** Computes the figures that depend on the price of the pool, which is the close of the newest candle. */
function withPrice<Token extends IndexedToken>(token: Token, message: MessageOf<"candle">): Token {
  const { quote, candle } = message;
  const ratio = getPriceRatio(token, message);
  if (ratio === 1) return token;
  const scale = (value: number | null) => (value === null ? null : value * ratio);
  return {
    ...token,
    [quote === "usd" ? "price_usd" : "price_eth"]: candle.c,
    ...(quote === "usd" && { market_cap_usd: scale(token.market_cap_usd), fdv_usd: scale(token.fdv_usd) }),
    price_change_24h_pct: scaleChange(token.price_change_24h_pct, ratio),
  };
}

/** As `withPrice`, with the changes in each window. */
function withWindowPrices(token: TokenDetail, message: MessageOf<"candle">): TokenDetail {
  const ratio = getPriceRatio(token, message);
  if (ratio === 1) return token;
  const scale = (window: Window): Window => ({
    ...window,
    price_change_pct: scaleChange(window.price_change_pct, ratio),
  });
  const { m5, h1, h6, h24 } = token.windows;
  return {
    ...withPrice(token, message),
    windows: { m5: scale(m5), h1: scale(h1), h6: scale(h6), h24: scale(h24) },
  };
}
