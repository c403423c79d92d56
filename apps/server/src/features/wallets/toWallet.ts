import type { IndexedWallet, TokenName } from "@slipway/protocol/people";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import { computeClaimable } from "@slipway/protocol/splitter";
import type { ReadContext } from "../../cache/createReadModel.ts";
import { finiteOrNull, toChecksumAddress, toDollars, toIsoTime } from "../../pricing/format.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { pageSize, type TokenNameRow, type WalletCursor, type WalletRow } from "./queries.ts";

/** Converts a page of a wallet to the wire format. Launch tokens have 18 decimals. @param mediaUrl - As of `getMediaUrl`. */
export function toWallet(
  row: WalletRow,
  cursor: WalletCursor,
  present: ReadContext,
  mediaUrl: string | null,
): IndexedWallet {
  const toName = (token: TokenNameRow) => toTokenName(token, mediaUrl);
  const inUsd = (native: number) => (present.ethUsd === null ? null : finiteOrNull(native * present.ethUsd.price));
  const page = {
    holdings: row.holdings.slice(0, pageSize),
    launches: row.launches.slice(0, pageSize),
    receipts: row.receipts.slice(0, pageSize),
    trades: row.trades.slice(0, pageSize),
  };
  return {
    holdings: page.holdings.map((own) => ({
      token: toName(own),
      amount: own.balance,
      value_usd: inUsd((Number(own.balance) / 1e18) * own.price),
      share_of_supply: toShare(own.balance, own.total_supply),
    })),
    launches: page.launches.map((own) => ({
      token: toName(own),
      splitter: toChecksumAddress(own.splitter),
      launched_at: toIsoTime(own.block_time),
      block_number: own.block_number,
      tx_hash: own.tx_hash,
      market_cap_usd: inUsd(own.market_cap),
    })),
    recipient_of: page.receipts.map((own) => ({
      token: toName(own),
      splitter: toChecksumAddress(own.splitter),
      share_bps: own.share_bps,
      claimable: [own.address, own.quote_token].map((asset, i) => ({
        asset: toChecksumAddress(asset),
        amount: computeClaimable(
          { balance: BigInt(own.received[i]!), totalReleased: 0n },
          own.share_bps,
          BigInt(own.released[i]!),
        ).toString(),
      })),
    })),
    trades: page.trades.map((trade) => ({ ...toIndexedTrade(trade), token: toName(trade.token) })),
    next_cursor: toNextCursor(row, cursor),
    profit: {
      method: "average_cost",
      realized_usd: toDollars(row.realized_usd),
      realized_eth: row.realized_quote === null ? null : finiteOrNull(Number(row.realized_quote) / 1e18),
    },
    as_of: findLastChange(page, present),
  };
}

/** A token's name, symbol and image; rows of earlier versions are not in normal form. */
function toTokenName({ address, name, symbol, image, sha256 }: TokenNameRow, mediaUrl: string | null): TokenName {
  const own = sha256 === null || mediaUrl === null ? null : `${mediaUrl}/${sha256}/256.webp`;
  return { address: toChecksumAddress(address), name, symbol, image: own ?? toPublishedUri(image) };
}

function toShare(amount: string, supply: string): number | null {
  return finiteOrNull(Number(amount) / Number(supply));
}

/** Where each list goes on; null when all have ended. */
function toNextCursor(row: WalletRow, cursor: WalletCursor): string | null {
  const parts = [
    getPosition(row.holdings, cursor.holdings, ({ address }) => address),
    getPosition(row.launches, cursor.launches, ({ address }) => address),
    getPosition(row.receipts, cursor.receipts, ({ address }) => address),
    getPosition(row.trades, cursor.trades, ({ tx_hash, log_index }) => `${tx_hash}:${log_index}`),
  ];
  return parts.every((part) => part === "-") ? null : parts.join("~");
}

function getPosition<Row>(rows: readonly Row[], before: string, toId: (row: Row) => string): string {
  return before === "-" || rows.length <= pageSize ? "-" : toId(rows[pageSize - 1]!);
}

/** The latest change of what the page shows, and of the ETH/USD price of its figures. */
function findLastChange(
  page: Pick<WalletRow, "holdings" | "launches" | "receipts" | "trades">,
  { ethUsd, index }: ReadContext,
): IndexedWallet["as_of"] {
  const tokens = [...page.holdings, ...page.launches, ...page.receipts];
  const changes = [
    ...tokens.map((own) => ({ block: own.changed_block, time: own.changed_time })),
    ...page.trades.map((trade) => ({ block: trade.block_number, time: trade.block_time })),
  ];
  if (ethUsd !== null && tokens.length > 0) changes.push(ethUsd);
  const last = changes.reduce(
    (a, b) => (b.block > a.block ? b : a),
    changes[0] ?? { block: index.indexedBlock, time: index.indexedTime },
  );
  return { block_number: last.block, timestamp: toIsoTime(last.time) };
}
