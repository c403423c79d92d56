import type { OfficialAssets } from "@slipway/protocol/officialAssets";
import type { IndexedWallet, TokenName } from "@slipway/protocol/people";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import { computeClaimable } from "@slipway/protocol/splitter";
import type { ReadContext } from "../../cache/createReadModel.ts";
import { finiteOrNull, toChecksumAddress, toDollars, toIsoTime } from "../../pricing/format.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { createNameWarning } from "../../transactions/resemblanceWarnings.ts";
import { pageSize, type TokenNameRow, type WalletCursor, type WalletRow } from "./queries.ts";

type NameContext = { mediaUrl: string | null; official: OfficialAssets };

/**
 * Converts a wallet's page to the wire format. Launch tokens have 18 decimals.
 *
 * @param context.mediaUrl - From `getMediaUrl`.
 */
export function toWallet(
  row: WalletRow,
  cursor: WalletCursor,
  readContext: ReadContext,
  context: NameContext,
): IndexedWallet {
  const toName = (token: TokenNameRow) => toTokenName(token, context);
  const inUsd = (native: number) =>
    readContext.ethUsd === null ? null : finiteOrNull(native * readContext.ethUsd.price);
  const page = {
    holdings: row.holdings.slice(0, pageSize),
    launches: row.launches.slice(0, pageSize),
    receipts: row.receipts.slice(0, pageSize),
    trades: row.trades.slice(0, pageSize),
  };
  return {
    holdings: page.holdings.map((holding) => ({
      token: toName(holding),
      amount: holding.balance,
      value_usd: inUsd((Number(holding.balance) / 1e18) * holding.price),
      share_of_supply: toShare(holding.balance, holding.total_supply),
    })),
    launches: page.launches.map((launch) => ({
      token: toName(launch),
      splitter: toChecksumAddress(launch.splitter),
      launched_at: toIsoTime(launch.block_time),
      block_number: launch.block_number,
      tx_hash: launch.tx_hash,
      market_cap_usd: inUsd(launch.market_cap),
    })),
    recipient_of: page.receipts.map((receipt) => ({
      token: toName(receipt),
      splitter: toChecksumAddress(receipt.splitter),
      share_bps: receipt.share_bps,
      claimable: [receipt.address, receipt.quote_token].map((asset, i) => ({
        asset: toChecksumAddress(asset),
        amount: computeClaimable(
          { balance: BigInt(receipt.received[i]!), totalReleased: 0n },
          receipt.share_bps,
          BigInt(receipt.released[i]!),
        ).toString(),
      })),
    })),
    trades: page.trades.map((trade) => ({ ...toIndexedTrade(trade), token: toName(trade.token) })),
    trades_from_block: row.trades_from_block,
    next_cursor: toNextCursor(row, cursor),
    profit: {
      method: "average_cost",
      realized_usd: toDollars(row.realized_usd),
      realized_eth: row.realized_quote === null ? null : finiteOrNull(Number(row.realized_quote) / 1e18),
    },
    as_of: findLastChange(page, readContext),
  };
}

/** Converts a token's name, symbol and image. Image URIs of earlier versions are not in normal form. */
function toTokenName(row: TokenNameRow, { mediaUrl, official }: NameContext): TokenName {
  const { address, name, symbol, image, sha256 } = row;
  const processed = sha256 === null || mediaUrl === null ? null : `${mediaUrl}/${sha256}/256.webp`;
  return {
    address: toChecksumAddress(address),
    name,
    symbol,
    name_warning: createNameWarning(row, official)?.message ?? null,
    image: processed ?? toPublishedUri(image),
  };
}

function toShare(amount: string, supply: string): number | null {
  return finiteOrNull(Number(amount) / Number(supply));
}

/** Creates the cursor of the next page; null when all lists have ended. */
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

/** Finds the latest change of the page's entries or of the ETH/USD price of their figures. */
function findLastChange(
  page: Pick<WalletRow, "holdings" | "launches" | "receipts" | "trades">,
  { ethUsd, index }: ReadContext,
): IndexedWallet["as_of"] {
  const tokens = [...page.holdings, ...page.launches, ...page.receipts];
  const changes = [
    ...tokens.map((token) => ({ block: token.changed_block, time: token.changed_time })),
    ...page.trades.map((trade) => ({ block: trade.block_number, time: trade.block_time })),
  ];
  if (ethUsd !== null && tokens.length > 0) changes.push(ethUsd);
  const last = changes.reduce(
    (a, b) => (b.block > a.block ? b : a),
    changes[0] ?? { block: index.indexedBlock, time: index.indexedTime },
  );
  return { block_number: last.block, timestamp: toIsoTime(last.time) };
}
