import {
  dexScreenerAsset,
  feedAssetQuery,
  feedEvents,
  feedEventsQuery,
  feedLatestBlock,
  feedPair,
  feedPairQuery,
  geckoTerminalAsset,
  maxFeedBlocks,
  maxFeedEvents,
} from "../feeds.ts";
import {
  maxUdfBars,
  udfConfig,
  udfHistory,
  udfHistoryQuery,
  udfSearch,
  udfSearchQuery,
  udfSymbol,
  udfSymbolQuery,
} from "../udf.ts";
import type { OperationDefinition } from "./operationDefinition.ts";

const errors = ["invalid_query", "index_unavailable", "storage_unavailable"] as const;
const isFinal = "No reorganisation takes the answer back.";

// The reader chooses the parameters, and can add some of its own.
const shared = { tag: "Feeds", foreignQuery: true } as const;

const latestBlock = {
  ...shared,
  summary: "Get the newest block that the feed has",
  description: "The newest block that no reorganisation takes back. All its events are in the feed.",
  answers: { 200: { description: "The block", schema: feedLatestBlock } },
  errors: ["index_unavailable", "storage_unavailable"],
} as const satisfies OperationDefinition;

const asset = {
  ...shared,
  summary: "Get an asset",
  description: `A launched token, or the wrapped native token. A blank name is replaced by the symbol or the short address. ${isFinal}`,
  query: feedAssetQuery,
  errors: [...errors, "token_not_indexed", "manifest_missing"],
} as const;

const pair = {
  ...shared,
  summary: "Get a pair",
  description: "The pool of a launched token. The answer never changes.",
  query: feedPairQuery,
  answers: { 200: { description: "The pair", schema: feedPair } },
  errors: [...errors, "token_not_indexed"],
} as const satisfies OperationDefinition;

const events = {
  ...shared,
  summary: "Get the events of a range of blocks",
  description:
    "Swaps, and mints (`join`) and burns (`exit`) of liquidity, in chain order; both blocks are included. A range can " +
    `have at most ${maxFeedBlocks} blocks and ${maxFeedEvents} events. A block after the latest block is 503. ${isFinal}`,
  query: feedEventsQuery,
  answers: { 200: { description: "The events", schema: feedEvents } },
  errors: [...errors, "history_unavailable"],
} as const satisfies OperationDefinition;

/** Operations of the feeds of readers with their own formats. */
export const feedsOperations = {
  getDexScreenerBlock: latestBlock,
  getDexScreenerAsset: { ...asset, answers: { 200: { description: "The asset", schema: dexScreenerAsset } } },
  getDexScreenerPair: pair,
  getDexScreenerEvents: events,
  getGeckoTerminalBlock: latestBlock,
  getGeckoTerminalAsset: { ...asset, answers: { 200: { description: "The asset", schema: geckoTerminalAsset } } },
  getGeckoTerminalPair: pair,
  getGeckoTerminalEvents: events,

  getUdfConfig: {
    ...shared,
    summary: "Get the configuration of the TradingView datafeed",
    answers: { 200: { description: "The configuration", schema: udfConfig } },
    errors: ["index_unavailable", "storage_unavailable"],
  },
  getUdfTime: {
    ...shared,
    summary: "Get the time of the service",
    description: "Unix seconds as text.",
    answers: { 200: { description: "The time", contentType: "text/plain" } },
    errors: ["index_unavailable", "storage_unavailable"],
  },
  getUdfSymbol: {
    ...shared,
    summary: "Get the description of a symbol",
    description: "An unknown symbol is an answer with `s: error`, as the protocol requires.",
    query: udfSymbolQuery,
    answers: { 200: { description: "The symbol", schema: udfSymbol } },
    errors,
  },
  searchUdfSymbols: {
    ...shared,
    summary: "Search symbols",
    description: "Launched tokens that are not blocked, those with the largest market caps first.",
    query: udfSearchQuery,
    answers: { 200: { description: "The symbols", schema: udfSearch } },
    errors,
  },
  getUdfHistory: {
    ...shared,
    summary: "Get bars of a symbol",
    description:
      `The last bars before \`to\`, oldest first, at most ${maxUdfBars}. Intervals without a trade have no bar. The newest ` +
      "bar has the trades of complete minutes only. The volume is in USD, or in wrapped native for a ticker with " +
      `\`/WETH\`. ${isFinal}`,
    query: udfHistoryQuery,
    answers: { 200: { description: "The bars", schema: udfHistory } },
    errors: [...errors, "history_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
