import { toDisplayedHandle } from "@slipway/protocol/handleGrammar";
import type { TokenDetail } from "@slipway/protocol/indexed";
import { readMetadataLinks } from "@slipway/protocol/metadataDocument";
import { effectiveFeeBps } from "@slipway/protocol/poolMath";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import { toAsOf } from "../../cache/toAsOf.ts";
import { finiteOrNull, toChecksumAddress, toDollars } from "../../pricing/format.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { getLaunchLabels } from "../../transactions/queries.ts";
import { computePercentLocked } from "./positionValue.ts";
import type { DetailRow } from "./queries.ts";
import { type TokenContext, toIndexedToken } from "./toIndexedToken.ts";
import type { FigureContext } from "./toTokenTraders.ts";

/** Converts a token with its details to the wire format. */
export function toTokenDetail(
  row: DetailRow,
  context: TokenContext & FigureContext & { featured: boolean; explorerUrl: string | null },
): TokenDetail {
  const token = toIndexedToken(row, context);
  return {
    ...token,
    description: row.description,
    website: toPublishedUri(row.website, ["https"]),
    total_supply: row.total_supply,
    splitter: toChecksumAddress(row.splitter),
    recipients: toRecipients(row),
    trades: row.trades.map(toIndexedTrade),
    liquidity_lock: {
      locker: toChecksumAddress(row.fee_locker),
      percent_locked: computePercentLocked(row),
      withdrawable: false,
    },
    pool_state: {
      sqrt_price_x96: row.sqrt_price_x96,
      tick: row.tick,
      liquidity: row.liquidity,
      tick_lower: row.tick_lower,
      tick_upper: row.tick_upper,
      pool_protocol_fee: row.pool_protocol_fee,
      lp_fee_bps_effective: effectiveFeeBps(row.fee_bps, row.pool_protocol_fee),
    },
    windows: {
      m5: toWindow(row, row.m5),
      h1: toWindow(row, row.h1),
      h6: toWindow(row, row.h6),
      h24: {
        price_change_pct: token.price_change_24h_pct,
        volume_usd: token.volume_24h_usd,
        buys: token.buys_24h,
        sells: token.sells_24h,
      },
    },
    // Properties of LaunchToken, whose code the manifest pins: minted once, no owner, no pause, ERC-2612.
    security: { mintable: false, pausable: false, owner: null, permit: true, source_verified: row.source_verified },
    top10_holders_pct: finiteOrNull((Number(row.top10) / Number(row.total_supply)) * 100),
    links: {
      explorer: context.explorerUrl === null ? null : createExplorerLink(context.explorerUrl, token.address),
      ...readMetadataLinks(row.contract_uri),
    },
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, context.index),
  };
}

function createExplorerLink(base: string, address: string): string {
  return `${base.replace(/\/+$/, "")}/token/${address}`;
}

/** Lists payout wallets and shares from the chain, with labels from the draft. */
function toRecipients(row: DetailRow): TokenDetail["recipients"] {
  const labels = new Map(getLaunchLabels(row.prepared).map((label) => [label.wallet.toLowerCase(), label]));
  return row.recipients.map(({ wallet, share_bps }) => {
    const label = labels.get(wallet);
    return {
      wallet: toChecksumAddress(wallet),
      share_bps,
      provider: label?.provider ?? null,
      handle: toDisplayedHandle(label),
      verified: label?.verified ?? false,
    };
  });
}

/** Converts a window; a token younger than the window is compared with its start price. */
function toWindow(row: DetailRow, window: DetailRow["m5"]): TokenDetail["windows"]["m5"] {
  return {
    price_change_pct: finiteOrNull((row.price / (window.price_before ?? row.start_price) - 1) * 100),
    volume_usd: toDollars(window.v),
    buys: window.buys,
    sells: window.n - window.buys,
  };
}
