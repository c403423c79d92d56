import { z } from "zod";
import { eventsQuery, poolEvents } from "../events.ts";
import { tokenFacts } from "../facts.ts";
import { feeReleases, feeReleasesQuery } from "../feeReleases.ts";
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
import { liquidityChanges, liquidityChangesQuery } from "../liquidityChanges.ts";
import { streamHeaders, streamMessage, streamQuery } from "../liveEvents.ts";
import { holdersQuery, indexedWallet, tokenHolders, walletParams, walletQuery } from "../people.ts";
import { evmAddress } from "../primitives.ts";
import { text } from "../text.ts";
import { tokenDepth, tokenTraders, tradersQuery } from "../tokenFigures.ts";
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
      "Featured tokens come first; both groups have the requested order. `q` matches any part of the name, symbol " +
      "or address, case-insensitively; no character has a special meaning. Unknown metrics are null. Pass `next_cursor` " +
      "as `cursor` to get the next page: new launches neither repeat nor skip a token, and trades can move a token to " +
      "another page.",
    query: tokensQuery,
    answers: { 200: { description: "The tokens, and the total number of matches", schema: indexedTokens } },
    errors: ["cursor_expired", ...indexErrors, "manifest_missing"],
  },

  getToken: {
    tag: "Tokens",
    summary: "Get a token with its latest 50 trades",
    description:
      "The launch, the state of the pool, price changes and volumes over four windows, the fee recipients, and the " +
      "powers of the token's contract. Unknown metrics are null.",
    params: tokenParams,
    answers: { 200: { description: "The token", schema: tokenDetail } },
    errors: ["token_not_indexed", ...indexErrors, "history_unavailable", "manifest_missing"],
  },

  listTokenCandles: {
    tag: "Tokens",
    summary: "List a token's candles, oldest first",
    description:
      "The latest `limit` candles, or those before `before`. Intervals without a trade have no candle, unless `fill` is " +
      "true. A series has " +
      "one currency: USD for all candles, or the wrapped native token with `v` null. Pass `next_before` as `before` " +
      "to get the previous page.",
    params: tokenParams,
    query: candlesQuery,
    answers: { 200: { description: "The candles", schema: indexedCandles } },
    errors: ["token_not_indexed", ...indexErrors, "history_unavailable"],
  },

  listTokenTrades: {
    tag: "Tokens",
    summary: "List a token's trades, newest first",
    description:
      "The latest `limit` trades. USD values use the median ETH/USD price of the ten minutes before the trade; they are " +
      "null if it is unknown. Pass `next_before` as `before` to get the next page. A page with few matching trades can " +
      "be shorter than `limit` and still have a next page.",
    params: tokenParams,
    query: tradesQuery,
    answers: { 200: { description: "The trades in descending chain order", schema: indexedTrades } },
    errors: ["token_not_indexed", "cursor_expired", ...indexErrors, "history_unavailable"],
  },

  listTokenTraders: {
    tag: "Tokens",
    summary: "List a token's traders by profit",
    description:
      "Accounts that traded the token, with the realized and the unrealized profit by moving average cost. The value of " +
      "the tokens that an account still has is what the locked liquidity pays for them now, not the last price times the " +
      "amount. Net flow is not profit.",
    params: tokenParams,
    query: tradersQuery,
    answers: { 200: { description: "The traders", schema: tokenTraders } },
    errors: ["token_not_indexed", "cursor_expired", ...indexErrors],
  },

  listLiquidityChanges: {
    tag: "Tokens",
    summary: "List changes of the liquidity in a token's pool, newest first",
    description:
      "Additions and removals of liquidity by any account; the locked liquidity of the launch itself is not among them. " +
      "Anybody can add any small amount. Pass `next_cursor` as `cursor` to get the next page.",
    params: tokenParams,
    query: liquidityChangesQuery,
    answers: { 200: { description: "The changes in descending chain order", schema: liquidityChanges } },
    errors: ["token_not_indexed", ...indexErrors],
  },

  getTokenDepth: {
    tag: "Tokens",
    summary: "Get what moves a token's price",
    description:
      "The trades that move the price of the token's pool by 1, 2, 5 and 10 percent in both directions, by the locked " +
      "liquidity alone. The range of other liquidity in the pool is unknown; it can only increase the amounts.",
    params: tokenParams,
    answers: { 200: { description: "The depth", schema: tokenDepth } },
    errors: ["token_not_indexed", ...indexErrors],
  },

  listTokenHolders: {
    tag: "Tokens",
    summary: "List a token's balances, largest first",
    description:
      "Every account with a balance. The pool, the locker, the splitter and burn addresses are included, with a " +
      "label. Pass `next_cursor` as `cursor` to get the next page.",
    params: tokenParams,
    query: holdersQuery,
    answers: { 200: { description: "The balances", schema: tokenHolders } },
    errors: ["token_not_indexed", "cursor_expired", ...indexErrors],
  },

  getTokenFacts: {
    tag: "Tokens",
    summary: "Get facts about a launch's creator and first buyers",
    description:
      "What the creator holds, sold and transferred, what was bought in the first blocks and by how many accounts, round " +
      "trips, holders that never bought, the creator's earlier launches, and what the contracts fix. Each fact has a " +
      "formula, a window and the block as of which it is computed; an unknown value is null. There is no score.",
    params: tokenParams,
    answers: { 200: { description: "The facts", schema: tokenFacts } },
    errors: ["token_not_indexed", ...indexErrors],
  },

  getGallery: {
    tag: "Tokens",
    summary: "List the images of tokens",
    description:
      "Processed images of launched tokens. While you page, no image is repeated or skipped, even if tokens are " +
      "launched; with `volume` and `market_cap`, trades change the order. A page can be shorter than `limit` and " +
      "still have a `next_cursor`. `random` shows every image once, in the order of `seed`, which the answer " +
      "contains. `q` matches any part of the name, symbol or address.",
    query: galleryQuery,
    answers: { 200: { description: "The images, and the total number of matches", schema: gallery } },
    errors: ["index_unavailable", "storage_unavailable", "provider_unavailable"],
  },

  getTokenCard: {
    tag: "Tokens",
    summary: "Get a token's preview image for links",
    description:
      "A PNG of 1200 x 630 pixels with the name, symbol, image, price, price change over 24 hours and price line of " +
      "one week. Unknown and blocked tokens are 404. At most four cards are drawn at once for one client address.",
    params: z.object({ name: text().describe("The token's address and `.png`.") }),
    answers: { 200: { description: "The card", contentType: "image/png" } },
    errors: ["not_found", "index_unavailable", "storage_unavailable"],
  },

  getPool: {
    tag: "Tokens",
    summary: "Get a token by the address of its pool",
    description: "The same answer as GET /tokens/{address} of the token whose pool this is.",
    params: z.object({ address: evmAddress.describe("The address of the pool of a launched token.") }),
    answers: { 200: { description: "The token", schema: tokenDetail } },
    errors: ["token_not_indexed", ...indexErrors, "history_unavailable", "manifest_missing"],
  },

  listEvents: {
    tag: "Tokens",
    summary: "List swaps, mints and burns of all pools by block",
    description:
      "In chain order, with the assets of the pool after each event. Blocks after `final_block` can still be taken " +
      "back by a reorganisation. Pass `next_cursor` as `cursor`, with the same blocks, to get the next page.",
    query: eventsQuery,
    answers: { 200: { description: "The events", schema: poolEvents } },
    errors: [...indexErrors, "history_unavailable"],
  },

  getContractDocument: {
    tag: "Feeds",
    summary: "Get a token's ERC-7572 document",
    description:
      "The document that the launch stored on the chain, for readers that only support https. It is 404 if the " +
      "document is not on the chain, is not a JSON object, or belongs to a blocked token. The service never fetches " +
      "or redirects to another URL.",
    params: tokenParams,
    answers: { 200: { description: "The document", schema: contractDocument } },
    errors: ["token_not_indexed", "not_found", "index_unavailable", "storage_unavailable"],
  },

  getTokenList: {
    tag: "Feeds",
    summary: "Get the launched tokens as a Uniswap Token List",
    description:
      "The wrapped native token and the final launches, at most 10,000 tokens. If there are more launches, the list " +
      "has those with the largest market cap, selected once a day. Tokens that the schema of token lists does not " +
      "allow and blocked tokens are left out; names are cut at 60 characters.",
    answers: { 200: { description: "The list", schema: tokenList } },
    errors: ["index_unavailable", "storage_unavailable"],
  },

  getWallet: {
    tag: "Tokens",
    summary: "Get a wallet's holdings, launches, receipts, trades and profit",
    description:
      "Launched tokens only. Each list has up to 50 entries, newest token or trade first; pass `next_cursor` as " +
      "`cursor` to get the next 50 entries of all four lists. `trades` are the trades whose transaction the wallet " +
      "sent. `profit` covers all of them, by moving average cost; it is null if a USD value is unknown. Every " +
      "address has an answer.",
    params: walletParams,
    query: walletQuery,
    answers: { 200: { description: "A page of the wallet's lists", schema: indexedWallet } },
    errors: ["cursor_expired", "index_unavailable", "storage_unavailable"],
  },

  listFeeReleases: {
    tag: "Tokens",
    summary: "List the fees released to a wallet, newest first",
    description:
      "The amounts that proven splitters released to the wallet. A page reads a bounded number of events: it can be " +
      "shorter than `limit` and still have a `next_cursor`. With `format=csv` the answer is a table.",
    params: walletParams,
    query: feeReleasesQuery,
    answers: { 200: { description: "The releases", schema: feeReleases, csv: true } },
    errors: [...indexErrors],
  },

  streamLive: {
    tag: "Tokens",
    summary: "Stream launches, trades, candles and reorgs",
    description:
      "Server-Sent Events. The first event is `ready`; then `launch`, `trade`, `candle` (of `interval`) and " +
      "`retracted`, for one `token` or for all. A client that reconnects with Last-Event-ID misses no event and " +
      "receives none twice. After more than a day the answer is 400 `cursor_expired`: connect without " +
      "Last-Event-ID. `snapshot` means that events were skipped because the client was too slow or the index was " +
      "rebuilt: load the data again over REST. A comment line every 15 seconds keeps the connection alive. An " +
      "unknown `token` is 404.",
    query: streamQuery,
    headers: streamHeaders,
    answers: { 200: { description: "The events", contentType: "text/event-stream", messages: streamMessage } },
    errors: ["cursor_expired", "token_not_indexed", "index_unavailable", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
