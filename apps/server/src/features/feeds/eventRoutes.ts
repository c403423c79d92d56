import { SlipwayError } from "@slipway/protocol/errors";
import { maxEventBlocks, type PoolEventOut, type PoolEventsOut } from "@slipway/protocol/events";
import type { Deps } from "../../deps.ts";
import { toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { createRoute, type Route } from "../../route.ts";
import { type EventPlace, type PoolEvent, readEvents } from "./eventQueries.ts";
import { getFeedDelay, requireComplete, requireReserves } from "./pairFeed.ts";

/** The route of the events of all pools by block. */
export function eventRoutes(deps: Deps): Route[] {
  const { readModel, config } = deps;
  return [
    createRoute("listEvents", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const { from_block: fromBlock, to_block: requested, limit, cursor } = query;
        const lastBlock = fromBlock + maxEventBlocks - 1;
        if (requested !== undefined && (requested < fromBlock || requested > lastBlock)) {
          const message = `to_block must be from from_block to ${maxEventBlocks - 1} blocks after it.`;
          throw new SlipwayError("invalid_query", message, { field: "to_block" });
        }
        const key = JSON.stringify(["events", fromBlock, requested, limit, cursor]);
        return await readModel.getResponse(key, ["block", "tokens"], async (db, { index }) => {
          const toBlock = Math.min(requested ?? lastBlock, index.indexedBlock);
          const range = { fromBlock, toBlock, after: toPlace(cursor), limit: limit + 1 };
          const page = await readEvents(db, { ...range, delaySeconds: getFeedDelay(config) });
          requireReserves(page);
          requireComplete(fromBlock, page.completeFrom);
          const shown = page.events.slice(0, limit);
          const last = page.events.length > limit ? shown.at(-1)! : null;
          return {
            items: shown.map(toEvent),
            next_cursor: last === null ? null : `${last.blockNumber}:${last.logIndex}`,
            to_block: toBlock,
            head: { block_number: index.headBlock, timestamp: toIsoTime(index.headTime) },
            as_of: { block_number: index.indexedBlock, timestamp: toIsoTime(index.indexedTime) },
            final_block: page.final?.block ?? null,
          } satisfies PoolEventsOut;
        });
      },
    }),
  ];
}

function toPlace(cursor: string | undefined): EventPlace | null {
  if (cursor === undefined) return null;
  const [block, logIndex] = cursor.split(":").map(Number);
  return { block: block!, logIndex: logIndex! };
}

function toEvent(event: PoolEvent): PoolEventOut {
  const place = {
    id: `${event.txHash}:${event.logIndex}`,
    kind: event.kind,
    token: toChecksumAddress(event.token),
    pool: toChecksumAddress(event.pool),
    block_number: event.blockNumber,
    block_timestamp: toIsoTime(event.blockTime),
    tx_hash: event.txHash,
    tx_index: event.txIndex,
    log_index: event.logIndex,
    maker: toChecksumAddress(event.maker),
    token_amount: event.tokenAmount.toString(),
    quote_amount: event.quoteAmount.toString(),
    reserves: { token: event.reserveToken.toString(), quote: event.reserveQuote.toString() },
  };
  if (event.kind !== "swap") return { ...place, ...notOfSwap };
  const { side, recipient, account, account_source, price_eth, price_eth_exact, price_usd, volume_usd } =
    toIndexedTrade({
      tx_hash: event.txHash,
      log_index: event.logIndex,
      block_number: event.blockNumber,
      block_time: event.blockTime,
      is_buy: event.isBuy!,
      maker: event.maker,
      recipient: event.recipient!,
      account: event.account!,
      account_source: event.accountSource!,
      token_amount: place.token_amount,
      quote_amount: place.quote_amount,
      eth_usd: event.ethUsd,
    });
  return { ...place, side, recipient, account, account_source, price_eth, price_eth_exact, price_usd, volume_usd };
}

const notOfSwap = {
  side: null,
  recipient: null,
  account: null,
  account_source: null,
  price_eth: null,
  price_eth_exact: null,
  price_usd: null,
  volume_usd: null,
};
