import { z } from "zod";
import { maxBlockNumber, requiredIntegerQuery } from "./integerQuery.ts";
import { evmAddress } from "./primitives.ts";

/*
 * Feeds for readers that fix the format: names and units are theirs. Requests may have more parameters than these.
 */

/** Blocks and events of one request of a feed, which bound its rows. A block of the chain has fewer events. */
export const maxFeedBlocks = 10_000;
export const maxFeedEvents = 2_000;

const blockNumber = requiredIntegerQuery(0, maxBlockNumber);

export const feedAssetQuery = z.object({ id: evmAddress.describe("The address of the asset.") });
export const feedPairQuery = z.object({ id: evmAddress.describe("The address of the pool.") });
export const feedEventsQuery = z.object({
  fromBlock: blockNumber.describe("The first block."),
  toBlock: blockNumber.describe("The last block, not after the latest block of the feed."),
});

const block = z.object({ blockNumber: z.int(), blockTimestamp: z.int().describe("Unix seconds.") });
const decimal = z.string().describe("A decimal number, exact or rounded down to 50 places.");
const id = z.string().describe("A checksummed address.");

export const feedLatestBlock = z.object({ block }).meta({ id: "FeedLatestBlock" });
export type FeedLatestBlock = z.infer<typeof feedLatestBlock>;

const asset = z.object({
  id,
  name: z.string().min(1),
  symbol: z.string().min(1),
  totalSupply: decimal.optional(),
  circulatingSupply: decimal.optional().describe("The total supply without burned tokens."),
});

export const dexScreenerAsset = z.object({ asset }).meta({ id: "DexScreenerAsset" });
export const geckoTerminalAsset = z
  .object({ asset: asset.extend({ decimals: z.int() }) })
  .meta({ id: "GeckoTerminalAsset" });

export const feedPair = z
  .object({
    pair: z.object({
      id,
      dexKey: z.string(),
      asset0Id: id,
      asset1Id: id,
      createdAtBlockNumber: z.int(),
      createdAtBlockTimestamp: z.int(),
      createdAtTxnId: z.string(),
      creator: id,
      feeBps: z.int().describe("The pool's fee in basis points."),
    }),
  })
  .meta({ id: "FeedPair" });
export type FeedPair = z.infer<typeof feedPair>;

const place = {
  block,
  txnId: z.string(),
  txnIndex: z.int(),
  eventIndex: z.int().describe("The log index, unique in a block."),
  maker: id.describe("The sender of the transaction."),
  pairId: id,
};
const reserves = z.object({ asset0: decimal, asset1: decimal });

const swapEvent = z.object({
  ...place,
  eventType: z.literal("swap"),
  asset0In: decimal.optional(),
  asset1In: decimal.optional(),
  asset0Out: decimal.optional(),
  asset1Out: decimal.optional(),
  priceNative: decimal.describe("The execution price of asset0 in asset1."),
  reserves,
});

const joinExitEvent = z.object({
  ...place,
  eventType: z.enum(["join", "exit"]),
  amount0: decimal,
  amount1: decimal,
  reserves,
});

export const feedEvents = z
  .object({ events: z.array(z.discriminatedUnion("eventType", [swapEvent, joinExitEvent])) })
  .meta({ id: "FeedEvents" });
export type FeedEvents = z.infer<typeof feedEvents>;
export type FeedEvent = FeedEvents["events"][number];
