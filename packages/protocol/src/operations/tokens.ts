import { z } from "zod";
import { gallery, galleryQuery } from "../gallery.ts";
import {
  candlesQuery,
  indexedCandles,
  indexedTokens,
  indexedTrades,
  tokenDetail,
  tokensQuery,
  tradesQuery,
} from "../indexed.ts";
import { streamHeaders, streamMessage, streamQuery } from "../liveEvents.ts";
import { holdersQuery, indexedWallet, tokenHolders, walletParams, walletQuery } from "../people.ts";
import { evmAddress } from "../primitives.ts";
import { text } from "../text.ts";
import { contractDocument, tokenList } from "../tokenList.ts";
import type { OperationDefinition } from "./operationDefinition.ts";

const tokenParams = z.object({ address: evmAddress.describe("The address of a launched token.") });

const indexErrors = ["index_unavailable", "storage_unavailable"] as const;

/** Operations on launched tokens, their feeds, wallets and the live stream. */
export const tokensOperations = {
  listTokens: {
    tag: "Tokens",
    summary: "List tokens",
    description:
      "Featured tokens first, each group in the order asked for. `q` must be contained in name, symbol or address, " +
      "in any case; no character of it has a special meaning. Unknown metrics are null.",
    query: tokensQuery,
    answers: { 200: { description: "The tokens, and how many match in all", schema: indexedTokens } },
    errors: [...indexErrors, "manifest_missing"],
  },

  getToken: {
    tag: "Tokens",
    summary: "Get a token with its latest 50 trades",
    description:
      "The launch record, the pool's state, price changes and volumes of four windows, the fee recipients, and what the " +
      "token's contract can do. Unknown metrics are null.",
    params: tokenParams,
    answers: { 200: { description: "The token", schema: tokenDetail } },
    errors: ["token_not_indexed", ...indexErrors, "manifest_missing"],
  },

  listTokenCandles: {
    tag: "Tokens",
    summary: "List a token's OHLC buckets, oldest first",
    description:
      "The latest `limit` buckets (before `before`); intervals without a trade are left out. A series has one quote: " +
      "all USD, or all wrapped native with `v` null. `next_before` asks for the page before.",
    params: tokenParams,
    query: candlesQuery,
    answers: { 200: { description: "The buckets", schema: indexedCandles } },
    errors: ["token_not_indexed", ...indexErrors],
  },

  listTokenTrades: {
    tag: "Tokens",
    summary: "List a token's trades, newest first",
    description:
      "The latest `limit` trades. USD values use the ETH/USD price of the trade's time; null where it is unknown. With " +
      "`before`, `maker` or `side` the answer has `next_before`; a page that few trades match can be shorter than `limit` " +
      "and have one.",
    params: tokenParams,
    query: tradesQuery,
    answers: { 200: { description: "The trades in descending chain order", schema: indexedTrades } },
    errors: ["token_not_indexed", "cursor_expired", ...indexErrors],
  },

  listTokenHolders: {
    tag: "Tokens",
    summary: "List a token's balances, largest first",
    description:
      "Every account with a balance, also pool, locker, splitter and burn addresses, which have a label. `next_cursor` " +
      "asks for the next page.",
    params: tokenParams,
    query: holdersQuery,
    answers: { 200: { description: "The balances", schema: tokenHolders } },
    errors: ["token_not_indexed", "cursor_expired", ...indexErrors],
  },

  getGallery: {
    tag: "Tokens",
    summary: "List the pictures of tokens",
    description:
      "Processed pictures of launched tokens, from the database alone. A page neither repeats nor omits a picture that was " +
      "there when the first one was read, whatever is launched meanwhile; by `volume` and `market_cap`, trades move " +
      "pictures. Where few tokens have a picture a page can be shorter than `limit` and have a `next_cursor`. `random` " +
      "shows every picture once, in the order of `seed`, which the answer names. `q` must be contained in name, symbol " +
      "or address.",
    query: galleryQuery,
    answers: { 200: { description: "The pictures, and how many match in all", schema: gallery } },
    errors: ["index_unavailable", "storage_unavailable", "provider_unavailable"],
  },

  getTokenCard: {
    tag: "Tokens",
    summary: "Get a token's card for previews of links",
    description:
      "A PNG of 1200 x 630 pixels with name, symbol, picture, price, its change in 24 h and its line of a week. Of indexed " +
      "tokens that are not blocked; anything else is 404. At most four are drawn for one client address at once.",
    params: z.object({ name: text().describe("The token's address and `.png`.") }),
    answers: { 200: { description: "The card", contentType: "image/png" } },
    errors: ["not_found", "index_unavailable", "storage_unavailable"],
  },

  getContractDocument: {
    tag: "Feeds",
    summary: "Get a token's ERC-7572 document as it is on the chain",
    description:
      "The bytes of the document that the launch contains, for readers that take https alone. A document that is not on the " +
      "chain, or no JSON object, is 404, and so is that of a blocked token: nothing is fetched, and no request is redirected.",
    params: tokenParams,
    answers: { 200: { description: "The document", schema: contractDocument } },
    errors: ["token_not_indexed", "not_found", "index_unavailable", "storage_unavailable"],
  },

  getTokenList: {
    tag: "Feeds",
    summary: "Get the launched tokens as a Uniswap Token List",
    description:
      "Wrapped native and the launches that no reorganisation can take back, at most 10,000 tokens: of more launches, those " +
      "of the largest market cap, chosen again once a day. Tokens that the lists' schema refuses are left out, names are " +
      "cut at 60 characters, and blocked tokens are removed.",
    answers: { 200: { description: "The list", schema: tokenList } },
    errors: ["index_unavailable", "storage_unavailable"],
  },

  getWallet: {
    tag: "Tokens",
    summary: "Get a wallet's holdings, launches, receipts, trades and profit",
    description:
      "Launched tokens only. Each list has up to 50 entries, newest token or trade first; `next_cursor` asks for the next " +
      "50 of all four. `trades` are those whose transaction the wallet sent. `profit` is that of all of them by moving " +
      "average cost; null where a value in USD was unknown. Any address has an answer.",
    params: walletParams,
    query: walletQuery,
    answers: { 200: { description: "A page of the wallet's lists", schema: indexedWallet } },
    errors: ["cursor_expired", "index_unavailable", "storage_unavailable"],
  },

  streamLive: {
    tag: "Tokens",
    summary: "Follow launches, trades, candles and retractions",
    description:
      "Server-Sent Events. `ready` comes first; then `launch`, `trade`, `candle` (of `interval`) and `retracted`, of " +
      "one `token` or of all. A client that comes back with Last-Event-ID misses nothing and sees nothing twice; " +
      "after more than a day, 400 `cursor_expired`: start again without. `snapshot` says that messages were left out " +
      "(the reader was too slow, or the index was rebuilt): read again over REST what is shown. A comment line every " +
      "15 seconds shows that the connection lives. A `token` that no launch has is 404.",
    query: streamQuery,
    headers: streamHeaders,
    answers: { 200: { description: "The events", contentType: "text/event-stream", messages: streamMessage } },
    errors: ["cursor_expired", "token_not_indexed", "index_unavailable", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
