import { formatRatio, formatUnitsExact } from "@slipway/protocol/decimalText";
import { SlipwayError } from "@slipway/protocol/errors";
import { type FeedEvent, type FeedEvents, type FeedPair, maxFeedBlocks, maxFeedEvents } from "@slipway/protocol/feeds";
import type { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import { type FeedBounds, type PoolEvent, readEvents, readFeedBounds } from "./eventQueries.ts";
import { type FeedToken, findFeedToken } from "./feedQueries.ts";
import { createNativeEntry } from "./tokenList.ts";

/** Longer than the age of any block: the feeds then end at the block below which the indexer undoes nothing. */
const untilUndone = 10 ** 12;

/**
 * Returns the age in seconds from which blocks are in the feeds. Headers older than the reorg window are not stored, and
 * their blocks cannot be undone, so a longer delay is the reorg window.
 */
export function getFeedDelay({ FEED_DELAY_SECONDS, REORG_WINDOW_SECONDS }: Deps["config"]): number {
  return FEED_DELAY_SECONDS !== undefined && FEED_DELAY_SECONDS < REORG_WINDOW_SECONDS
    ? FEED_DELAY_SECONDS
    : untilUndone;
}

/** An asset of a feed, with the fields that readers choose from. Amounts are decimal text. */
export type FeedAsset = {
  id: string;
  name: string;
  symbol: string;
  decimals: number;
  totalSupply?: string;
  circulatingSupply?: string;
};

/** The newest block of the feeds. @throws SlipwayError `index_unavailable`. */
export async function requireFinal(
  db: Parameters<typeof readFeedBounds>[0],
  config: Deps["config"],
): Promise<{ block: number; time: number }> {
  const { final } = await readFeedBounds(db, getFeedDelay(config));
  if (final === null) throw new SlipwayError("index_unavailable", "No block is final yet.");
  return final;
}

/**
 * The answers of a feed of pools: assets, pairs, and events by block. Readers ask for a block once, so the answers have
 * only blocks that no reorganisation takes back.
 */
export function createPairFeed(deps: Deps) {
  const { readModel, config } = deps;

  return {
    /** @throws SlipwayError `index_unavailable`. */
    latestBlock: async (): Promise<CachedResponse> =>
      await readModel.getResponse("feed-block", ["block"], async (db) => {
        requireReserves(await readFeedBounds(db, getFeedDelay(config)));
        const { block, time } = await requireFinal(db, config);
        return { block: { blockNumber: block, blockTimestamp: time } };
      }),

    /** @throws SlipwayError `token_not_indexed`, also for a launch that is not final yet. */
    asset: async (
      requested: string,
      name: string,
      toAnswer: (asset: FeedAsset) => unknown,
    ): Promise<CachedResponse> => {
      const address = requested.toLowerCase();
      const { manifest } = deps.chain.manifestState();
      if (manifest === null) throw new SlipwayError("manifest_missing");
      const key = JSON.stringify(["feed-asset", name, address]);
      return await readModel.getResponse(key, ["minute"], async (db) => {
        if (address === manifest.wrapped_native.address.toLowerCase()) {
          const { name: native, symbol, decimals } = createNativeEntry(manifest.chain_id, address);
          return toAnswer({ id: toChecksumAddress(address), name: native, symbol, decimals });
        }
        const { block } = await requireFinal(db, config);
        return toAnswer(toAsset(requireToken(await findFeedToken(db, "address", address, block))));
      });
    },

    /** @throws SlipwayError `token_not_indexed`, also for a launch that is not final yet. */
    pair: async (requested: string): Promise<CachedResponse> => {
      const pool = requested.toLowerCase();
      return await readModel.getResponse(JSON.stringify(["feed-pair", pool]), ["minute"], async (db) => {
        const { block } = await requireFinal(db, config);
        return toPair(requireToken(await findFeedToken(db, "pool", pool, block)));
      });
    },

    /**
     * @throws SlipwayError `invalid_query` for a range with too many blocks or events, `index_unavailable` for a block
     *   that is not final yet, `history_unavailable` for blocks whose trades were removed from PostgreSQL.
     */
    events: async ({ fromBlock, toBlock }: { fromBlock: number; toBlock: number }): Promise<CachedResponse> => {
      if (toBlock < fromBlock) throw refuseRange("toBlock must not be less than fromBlock.");
      if (toBlock - fromBlock >= maxFeedBlocks) throw refuseRange(`Request at most ${maxFeedBlocks} blocks.`);
      // Never changes: a rebuild of the index invalidates every response.
      return await readModel.getResponse(JSON.stringify(["feed-events", fromBlock, toBlock]), [], async (db) => {
        const range = { fromBlock, toBlock, limit: maxFeedEvents + 1, delaySeconds: getFeedDelay(config) };
        const { events, ...bounds } = await readEvents(db, range);
        const { final, completeFrom } = bounds;
        requireReserves(bounds);
        if (final === null || toBlock > final.block) {
          const newest = final === null ? "" : ` The latest block is ${final.block}.`;
          throw new SlipwayError("index_unavailable", `Block ${toBlock} is not final yet.${newest}`);
        }
        requireComplete(fromBlock, completeFrom);
        if (events.length > maxFeedEvents) {
          throw refuseRange(`The range has more than ${maxFeedEvents} events; request fewer blocks.`);
        }
        return { events: events.map(toFeedEvent) } satisfies FeedEvents;
      });
    },
  };
}

const refuseRange = (message: string) => new SlipwayError("invalid_query", message, { field: "toBlock" });

/** @throws SlipwayError `index_unavailable` for an index of an earlier version. */
export function requireReserves({ hasReserves }: Pick<FeedBounds, "hasReserves">): void {
  if (!hasReserves) throw new SlipwayError("index_unavailable", "The index of this version is being built.");
}

/** @throws SlipwayError `history_unavailable` if trades of the block were removed from PostgreSQL. */
export function requireComplete(fromBlock: number, completeFrom: number): void {
  if (fromBlock >= completeFrom) return;
  throw new SlipwayError("history_unavailable", `Events are available from block ${completeFrom} on.`);
}

function requireToken(found: FeedToken | null): FeedToken {
  if (found === null) throw new SlipwayError("token_not_indexed");
  return found;
}

/** Whether a text shows anything: letters, digits, punctuation or symbols. */
const isVisible = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

/** Readers stop at an empty name, so a blank one becomes the symbol or the short address. */
export function nameToken(token: { name: string; symbol: string; address: string }): { name: string; symbol: string } {
  const short = `${token.address.slice(0, 6)}…${token.address.slice(-4)}`;
  const symbol = isVisible(token.symbol) ? token.symbol.trim() : short;
  return { name: isVisible(token.name) ? token.name.trim() : symbol, symbol };
}

function toAsset(token: FeedToken): FeedAsset {
  const [supply, burned] = [BigInt(token.total_supply), BigInt(token.burned)];
  return {
    id: toChecksumAddress(token.address),
    ...nameToken(token),
    decimals: token.decimals,
    totalSupply: formatUnitsExact(supply, token.decimals),
    circulatingSupply: formatUnitsExact(supply - burned, token.decimals),
  };
}

function toPair(token: FeedToken): FeedPair {
  const assets = [token.address, token.quote_token];
  const [asset0, asset1] = token.is_token0 ? assets : assets.toReversed();
  return {
    pair: {
      id: toChecksumAddress(token.pool),
      dexKey: "slipway",
      asset0Id: toChecksumAddress(asset0!),
      asset1Id: toChecksumAddress(asset1!),
      createdAtBlockNumber: token.block_number,
      createdAtBlockTimestamp: token.block_time,
      createdAtTxnId: token.tx_hash,
      creator: toChecksumAddress(token.creator),
      feeBps: token.fee_bps,
    },
  };
}

/** Launch tokens and wrapped native have 18 decimals. */
const toDecimal = (amount: bigint) => formatUnitsExact(amount, 18);

function toFeedEvent(event: PoolEvent): FeedEvent {
  const inOrder = <Value>(ofToken: Value, ofQuote: Value) =>
    event.isToken0 ? ([ofToken, ofQuote] as const) : ([ofQuote, ofToken] as const);
  const [amount0, amount1] = inOrder(event.tokenAmount, event.quoteAmount);
  const [reserve0, reserve1] = inOrder(event.reserveToken, event.reserveQuote);
  const place = {
    block: { blockNumber: event.blockNumber, blockTimestamp: event.blockTime },
    txnId: event.txHash,
    txnIndex: event.txIndex,
    eventIndex: event.logIndex,
    maker: toChecksumAddress(event.maker),
    pairId: toChecksumAddress(event.pool),
  };
  const reserves = { asset0: toDecimal(reserve0), asset1: toDecimal(reserve1) };
  if (event.kind !== "swap") {
    const amounts = { amount0: toDecimal(amount0), amount1: toDecimal(amount1) };
    return { ...place, eventType: event.kind === "mint" ? "join" : "exit", ...amounts, reserves };
  }
  const isFirstPaid = event.isBuy !== event.isToken0;
  const moved = isFirstPaid
    ? { asset0In: toDecimal(amount0), asset1Out: toDecimal(amount1) }
    : { asset1In: toDecimal(amount1), asset0Out: toDecimal(amount0) };
  return { ...place, eventType: "swap", ...moved, priceNative: formatRatio(amount1, amount0), reserves };
}
