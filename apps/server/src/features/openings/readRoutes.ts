import { tokenTextKeys } from "@slipway/protocol/confusables";
import { SlipwayError } from "@slipway/protocol/errors";
import { hashOpeningParams } from "@slipway/protocol/opening";
import type { OpeningDeposits } from "@slipway/protocol/openings";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { findNameKeys } from "../../transactions/resemblanceQueries.ts";
import {
  type DepositRow,
  type EventPlace,
  findOpeningDetail,
  type OpeningRow,
  type Page,
  readDeposits,
  readOpenings,
} from "./queries.ts";
import {
  findOtherLaunch,
  type OpeningContext,
  toOpening,
  toOpeningAccount,
  toParams,
  toShownParams,
  toTexts,
} from "./toOpening.ts";

/** Responses change with the chain, and with the operator's blocks. */
const dependsOn = ["block", "openings"] as const;

/** Routes that read openings and their deposits. */
export function openingReadRoutes(deps: Deps): Route[] {
  return [
    createRoute("listOpenings", {
      cache: "public-10s",
      handle: async ({ query: { limit, cursor, creator, depositor, token, status } }) => {
        const filter = {
          creator: creator?.toLowerCase() ?? null,
          depositor: depositor?.toLowerCase() ?? null,
          token: token?.toLowerCase() ?? null,
          status: status ?? null,
        };
        const place = parseCursor(cursor);
        const key = JSON.stringify(["openings", filter, limit, place]);
        return await deps.readModel.getResponse(key, dependsOn, async (db, { index }) => {
          const page = await readOpenings(db, filter, { limit, after: place });
          const { rows, next } = cutPage(page, limit);
          const context = await createContext(deps, db, rows);
          return { items: rows.map((row) => toOpening(row, context)), next_cursor: next, as_of: toIndexAsOf(index) };
        });
      },
    }),

    createRoute("getOpening", {
      cache: "public-10s",
      handle: async ({ params, query }) => {
        const address = params.address.toLowerCase();
        const account = query.account?.toLowerCase() ?? null;
        const key = JSON.stringify(["opening", address, account]);
        return await deps.readModel.getResponse(key, dependsOn, async (db, { index }) => {
          const row = await findOpeningDetail(db, address, account);
          if (row === null) throw new SlipwayError("opening_not_indexed");
          const context = await createContext(deps, db, [row]);
          const opening = toOpening(row, context);
          const { manifest } = context;
          return {
            ...opening,
            params: row.blocked ? null : toShownParams(row),
            params_hash: hashOpeningParams(toParams(row)),
            other_launch: manifest && (findOtherLaunch(row, row.candidates, manifest)?.token ?? null),
            account: account === null ? null : toOpeningAccount(account, row.account!, row.bought ?? "0", opening),
            as_of: toIndexAsOf(index),
          };
        });
      },
    }),

    createRoute("listOpeningDeposits", {
      cache: "public-10s",
      handle: async ({ params, query: { limit, cursor, account } }) => {
        const filter = { opening: params.address.toLowerCase(), account: account?.toLowerCase() ?? null };
        const place = parseCursor(cursor);
        const key = JSON.stringify(["opening-deposits", filter, limit, place]);
        return await deps.readModel.getResponse(key, dependsOn, async (db, { index }) => {
          const found = await readDeposits(db, filter, { limit, after: place });
          if (found === null) throw new SlipwayError("opening_not_indexed");
          const { rows, next } = cutPage({ rows: found, last_scanned: null }, limit);
          return { items: rows.map(toDeposit), next_cursor: next, as_of: toIndexAsOf(index) };
        });
      },
    }),
  ];
}

/** Parses a cursor: block and log of the last row of a page. */
function parseCursor(cursor: string | undefined): EventPlace | null {
  const [block, log] = cursor?.split("~").map(Number) ?? [];
  return block === undefined || log === undefined ? null : { block_number: block, log_index: log };
}

/** Cuts a page to its limit. `next`: the cursor of the next page; null on the last page. */
function cutPage<Row extends EventPlace>({ rows, last_scanned: lastScanned }: Page<Row>, limit: number) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1)! : lastScanned;
  return { rows: page, next: last === null ? null : `${last.block_number}~${last.log_index}` };
}

const toIndexAsOf = (index: FreshIndex) => toAsOf({ block: index.indexedBlock, time: index.indexedTime }, index);

/** Creates the context of the conversion, with one query for the names of all openings. */
async function createContext(deps: Deps, db: Queryable, rows: readonly OpeningRow[]): Promise<OpeningContext> {
  const { manifest } = deps.chain.manifestState();
  const keys = rows
    .filter(({ blocked }) => !blocked)
    .flatMap((row) => {
      const { name, symbol } = toTexts(row);
      return tokenTextKeys([name, symbol]);
    });
  return { manifest, official: getOfficialAssets(deps.config, manifest), nameKeys: await findNameKeys(db, keys) };
}

function toDeposit(row: DepositRow): OpeningDeposits["items"][number] {
  return {
    id: `${row.tx_hash}:${row.log_index}`,
    tx_hash: row.tx_hash,
    log_index: row.log_index,
    block_number: row.block_number,
    block_timestamp: toIsoTime(row.block_time),
    account: toChecksumAddress(row.account),
    amount: row.amount,
    total: row.total,
  };
}
