import type { DirectorySource } from "@slipway/protocol/businesses";
import type { Listing } from "@slipway/protocol/listing";
import { maxCountedMatches, maxScannedRows } from "@slipway/protocol/searchLimits";
import type { Queryable } from "../../db/database.ts";
import {
  createSearchPattern,
  escapePattern,
  isCommonText,
  isIndexedText,
  type NewestRows,
} from "../../db/textSearch.ts";
import type { ListedRow, ListingFilter, ListPosition } from "./listingSql.ts";

export type SourceRow = {
  source: Exclude<DirectorySource, "legacy">;
  count: number;
  leads: number;
  changed_at: Date | null;
  fetched_at: Date | null;
  error: string | null;
};

/** Lists the stored states of the sources; a source that never had a listing or a reading has no row. */
export async function listSources(db: Queryable): Promise<SourceRow[]> {
  const { rows } = await db.query<SourceRow>({
    name: "listing-sources",
    text: "select source, count, leads, changed_at, fetched_at, error from app.listing_sources",
  });
  return rows;
}

/** Reads a text that changes with each change of listings, source readings, blocked tokens and token pictures. */
export async function readListingVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ version: string }>({
    name: "listing-version",
    text: `select coalesce(max(greatest(changed_at, fetched_at)), 'epoch')::text || ' ' || coalesce(sum(count), 0) || ' ' ||
             coalesce((select max(change) from app.blocked_tokens), 0) || ' ' ||
             coalesce((select max(change) from app.gallery), 0)
             as version
           from app.listing_sources`,
  });
  return rows[0]!.version;
}

/** The indexed chain, 0 before the first batch, and the deployments before the current deployment. */
export type IndexedChain = { chainId: number; legacyDeployments: number[] };

export async function getIndexedChain(db: Queryable): Promise<IndexedChain> {
  const { rows } = await db.query<{ chain_id: number | null; legacy: number[] }>({
    name: "indexed-chain",
    text: `select (select chain_id from chain.checkpoint) as chain_id,
             array(select id::int from chain.deployments where legacy) as legacy`,
  });
  return { chainId: rows[0]!.chain_id ?? 0, legacyDeployments: rows[0]!.legacy };
}

const notBlocked =
  "not exists (select from app.blocked_tokens b where b.token = t.address and b.blocked_at is not null)";

/** Tokens of earlier deployments ($2) that no administrator blocked. */
const legacyTokens = `chain.tokens t where t.deployment_id = any($2::int[]) and ${notBlocked}`;

/** The newest tokens of each earlier deployment ($2), each from its index, that no administrator blocked. */
const newestLegacyTokens = (limit: number) => `unnest($2::int[]) d(id) cross join lateral (
    select * from chain.tokens t where t.deployment_id = d.id and ${notBlocked}
    order by t.block_time desc, t.address desc limit ${limit}
  ) t where true`;

/** Returns SQL of the tokens that a search reads: all tokens if an index helps, else the newest of each deployment. */
async function chooseLegacy(
  db: Queryable,
  { legacyDeployments }: IndexedChain,
  search: string | null,
  similar: boolean,
): Promise<string> {
  if (search === null || similar) return legacyTokens;
  const newest: NewestRows = {
    select: (limit) => `select t.search_text from ${newestLegacyTokens(limit)} and $1::text is not null`,
    pattern: "$1",
    values: [createSearchPattern(search), legacyDeployments],
  };
  const isScanned = !(await isIndexedText(db, search)) || (await isCommonText(db, newest));
  return isScanned ? newestLegacyTokens(maxScannedRows) : legacyTokens;
}

/** Excludes tokens of external lists, because the directory shows the external listing instead. $1: the chain. */
const notListed = `not exists (
  select from app.listings o where o.merge_key = 'token:' || $1::text || ':' || t.address and o.blocked_at is null)`;

export type LegacyTotals = { count: number; leads: number; changed: number | null };

/**
 * Counts the tokens of earlier deployments (`count`) and the tokens that no external list names (`leads`), and reads
 * the time of the newest token (`changed`). A search counts at most `maxCountedMatches`.
 */
export async function countLegacy(
  db: Queryable,
  chain: IndexedChain,
  search: string | null,
  similar: boolean,
): Promise<LegacyTotals> {
  const { chainId, legacyDeployments } = chain;
  if (legacyDeployments.length === 0) return { count: 0, leads: 0, changed: null };
  const tokens = await chooseLegacy(db, chain, search, similar);
  const matches =
    search === null
      ? tokens
      : `(select t.address, t.block_time from ${tokens} and ${createSearchCondition(similar, { term: "$3", pattern: "$3" })}
          limit ${maxCountedMatches}) t`;
  const { rows } = await db.query<LegacyTotals>(
    `select count(*) as count, count(*) filter (where ${notListed}) as leads, max(t.block_time) as changed from ${matches}`,
    [String(chainId), legacyDeployments, ...(search === null ? [] : [similar ? search : createSearchPattern(search)])],
  );
  return rows[0]!;
}

/** SQL condition: names are similar to `term`, or texts match `pattern`. */
const createSearchCondition = (similar: boolean, { term, pattern }: { term: string; pattern: string }) =>
  similar ? `lower(t.name) % ${term}::text` : `t.search_text like ${pattern}`;

type LegacyRow = {
  address: string;
  name: string;
  symbol: string;
  decimals: number;
  description: string | null;
  image: string | null;
  website: string | null;
  block_time: number;
  place: number;
  stored_image: ListedRow["image"];
};

/** Columns of a LegacyRow except `place`, for the token `t`. */
const legacyColumns = `t.address, t.name, t.symbol, t.decimals, t.block_time,
  coalesce(t.description, m.description) as description,
  case when g.sha256 is null or g.shown then coalesce(t.image, m.image) end as image,
  coalesce(t.website, m.website) as website,
  (select json_build_object('sha256', encode(i.sha256, 'hex'), 'width', i.width, 'height', i.height,
      'animated', i.animated, 'blurhash', i.blurhash, 'dominant_color', i.dominant_color, 'blocked', false)
    from app.images i where i.sha256 = g.sha256 and g.shown limit 1) as stored_image`;
const legacyJoins = `left join app.token_manifests m on m.token = t.address
  left join app.gallery g on g.token = t.address`;

/** Finds a token of an earlier deployment by its lower-case address, as a listing; null if there is none. */
export async function findLegacy(
  db: Queryable,
  { chainId, legacyDeployments }: IndexedChain,
  address: string,
): Promise<ListedRow | null> {
  const { rows } = await db.query<LegacyRow>(
    `select ${legacyColumns}, 0 as place
     from (select t.* from ${legacyTokens} and t.address = $1) t ${legacyJoins}`,
    [address, legacyDeployments],
  );
  return rows[0] === undefined ? null : toListedRow(rows[0], chainId);
}

/** Lists tokens of earlier deployments as listings, in the order of `listListings`. */
export async function listLegacy(
  db: Queryable,
  chain: IndexedChain,
  filter: ListingFilter,
  page: { after: ListPosition | null; limit: number },
): Promise<ListedRow[]> {
  const { chainId, legacyDeployments } = chain;
  if (legacyDeployments.length === 0) return [];
  const tokens = await chooseLegacy(db, chain, filter.search, filter.similar ?? false);
  const values: unknown[] = [String(chainId), legacyDeployments];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const where = [filter.merged ? notListed : "$1::text is not null"];
  let place = "0";
  if (filter.search !== null) {
    const term = bind(filter.search);
    const pattern = filter.similar ? "" : `${bind(escapePattern(filter.search))}::text`;
    where.push(createSearchCondition(filter.similar ?? false, { term, pattern: `'%' || ${pattern} || '%'` }));
    place = filter.similar
      ? `round(similarity(lower(t.name), ${term}::text) * 1000)::int`
      : `case when lower(t.name) = ${term}::text then 4 when lower(t.name) like ${pattern} || '%' then 3
          when lower(t.name) like '% ' || ${pattern} || '%' then 2
          when lower(t.name) like '%' || ${pattern} || '%' then 1 else 0 end`;
  }
  if (page.after !== null) {
    const [rank, micros, id] = page.after;
    const [time, token] = [`${bind(micros)}::bigint`, `${bind(id)}::text collate "C"`];
    const position = `(t.block_time * 1000000, ('legacy:' || t.address) collate "C") < (${time}, ${token})`;
    // The first condition lets the scan start at the position in the index.
    const sameRank = `t.block_time <= ${time} / 1000000 and ${position}`;
    where.push(
      filter.search === null
        ? sameRank
        : `(${place} < ${bind(rank)}::int or (${place} = ${bind(rank)}::int and ${position}))`,
    );
  }
  const order = `${filter.search === null ? "" : "place desc, "}t.block_time desc, t.address desc`;
  const { rows } = await db.query<LegacyRow>(
    `select ${legacyColumns}, ${place} as place
     from (select t.*, ${place} as place from ${tokens} and ${where.join(" and ")} order by ${order} limit ${bind(page.limit)}) t
     ${legacyJoins}
     order by ${order}`,
    values,
  );
  return rows.map((row) => toListedRow(row, chainId));
}

function toListedRow(row: LegacyRow, chainId: number): ListedRow {
  const time = new Date(row.block_time * 1_000);
  const listing: Listing = {
    kind: "token",
    name: row.name,
    description: row.description,
    category: "token",
    website: row.website,
    image_uri: row.image,
    ...{ email: null, phone: null, address: null, location: null, hours: null, tags: [], links: {}, attribution: null },
    token: { chain_id: chainId, address: row.address, symbol: row.symbol, decimals: row.decimals },
  };
  return {
    id: `legacy:${row.address}`,
    source: "legacy",
    listing,
    created_at: time,
    updated_at: time,
    fetched_at: null,
    website_verified: false,
    proven_links: {},
    ...{ image: row.stored_image, also_on: [], place: row.place, micros: String(row.block_time * 1_000_000) },
  };
}
