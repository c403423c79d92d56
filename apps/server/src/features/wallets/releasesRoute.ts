import type { FeeReleases } from "@slipway/protocol/feeReleases";
import type { OfficialAssets } from "@slipway/protocol/officialAssets";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { serializeCsv } from "../../cache/serializeCsv.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import type { Deps } from "../../deps.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { createNameWarning } from "../../transactions/resemblanceWarnings.ts";
import { type ReleaseRow, type ReleasesRow, readReleases } from "./releaseQueries.ts";

/** Creates the route of the fees that splitters released to a wallet. */
export function releasesRoute(deps: Deps): Route {
  return createRoute("listFeeReleases", {
    cache: "public-10s",
    handle: async ({ params, query: { limit, cursor, format } }) => {
      const wallet = params.address.toLowerCase();
      const [block, log] = cursor?.split("~").map(Number) ?? [];
      const after = block === undefined || log === undefined ? null : { block_number: block, log_index: log };
      const key = JSON.stringify(["releases", wallet, limit, after, format]);
      return await deps.readModel.getResponse(key, ["block", "tokens"], async (db, { index }) => {
        const official = getOfficialAssets(deps.config, deps.chain.manifestState().manifest);
        const answer = toFeeReleases(await readReleases(db, { wallet, limit, after }), limit, { index, official });
        return format === "csv" ? serializeCsv(csvHeader, answer.items.map(toCsvRow)) : answer;
      });
    },
  });
}

/** Converts a page to the wire format. */
function toFeeReleases(
  { releases, last_scanned: lastScanned }: ReleasesRow,
  limit: number,
  { index, official }: { index: FreshIndex; official: OfficialAssets },
): FeeReleases {
  const page = releases.slice(0, limit);
  const last = releases.length > limit ? page.at(-1)! : lastScanned;
  return {
    items: page.map((row) => toRelease(row, official)),
    next_cursor: last === null ? null : `${last.block_number}~${last.log_index}`,
    as_of: toAsOf({ block: index.indexedBlock, time: index.indexedTime }, index),
  };
}

function toRelease({ token, ...row }: ReleaseRow, official: OfficialAssets): FeeReleases["items"][number] {
  return {
    id: `${row.tx_hash}:${row.log_index}`,
    tx_hash: row.tx_hash,
    log_index: row.log_index,
    block_number: row.block_number,
    block_timestamp: toIsoTime(row.block_time),
    splitter: toChecksumAddress(row.splitter),
    asset: toChecksumAddress(row.asset),
    amount: row.amount,
    token: token && {
      address: toChecksumAddress(token.address),
      name: token.name,
      symbol: token.symbol,
      name_warning: createNameWarning(token, official)?.message ?? null,
    },
  };
}

const csvHeader = [
  ...["block_timestamp", "block_number", "tx_hash", "log_index", "splitter", "asset", "amount"],
  ...["token", "token_name", "token_symbol"],
];

const text = (value: string | undefined) => (value === undefined ? null : { text: value });

const toCsvRow = (release: FeeReleases["items"][number]) => [
  { text: release.block_timestamp },
  release.block_number,
  { text: release.tx_hash },
  release.log_index,
  { text: release.splitter },
  { text: release.asset },
  BigInt(release.amount),
  ...[text(release.token?.address), text(release.token?.name), text(release.token?.symbol)],
];
