import { bucketStart } from "@slipway/protocol/candle";
import { SlipwayError } from "@slipway/protocol/errors";
import type { OracleObservation } from "@slipway/protocol/settings";
import type { Clock } from "../clock.ts";
import type { Database, Queryable } from "../db/database.ts";
import { mayHavePrunedRows } from "../live/queries.ts";
import { type EthUsdSource, getIndexedPrice, observeEthUsd } from "../pricing/ethUsdOracle.ts";
import { type EthUsdRows, readEthUsd } from "../pricing/queries.ts";
import { CachedResponse, serializeJson } from "./cachedResponse.ts";
import { type CacheTag, everything, getChangedTags, toTokenTag } from "./cacheTag.ts";
import { createResponseCache } from "./createResponseCache.ts";
import { type FreshIndex, getStaleReason, type IndexStatus, requireFreshIndex, toIndexStatus } from "./indexStatus.ts";
import {
  listChangedBlocks,
  listChangedManifests,
  listChangedPictures,
  type NewestChanges,
  type ReadProgress,
  readProgress,
} from "./queries.ts";

export type ReadModel = ReturnType<typeof createReadModel>;

/** The index status and the ETH/USD price at one moment, for one response. */
export type ReadContext = {
  index: FreshIndex;
  /** The oracle's ETH/USD price, and block and Unix seconds of its last observation; null when unknown or not trusted. */
  ethUsd: { price: number; block: number; time: number } | null;
};

/** Maximum age of the index status, in milliseconds, while only requests update it. */
const unfollowedMaxAgeMs = 20;
/** Maximum age of the index status while `startReadModel` updates it. Applies only if the updates hang. */
const followedMaxAgeMs = 1_500;

/** If more changes arrive at once, all responses are invalidated. */
const maxChanges = 5_000;

/**
 * Creates a cache of the serialized responses of public reads. Builds a response by one query at its first request, and
 * again only after the outbox reported a change of its tags. Returns no response while the index is not fresh.
 */
export function createReadModel(options: {
  db: Pick<Database, "read" | "readNewest">;
  clock: Pick<Clock, "now">;
  /** The maximum size of all cached responses together. */
  maxBytes: number;
  ethUsdSource: () => EthUsdSource | null;
}) {
  const { db, clock } = options;
  const cache = createResponseCache(options.maxBytes);
  let status: IndexStatus | null = null;
  let statusIsFresh = false;
  let ethUsdRows: EthUsdRows | null = null;
  let cursor: ChangeCursor | null = null;
  let syncedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  let followed = false;
  /** Keys by the bytes of their responses. */
  const keys = new WeakMap<Uint8Array, string>();

  /** Reads the changes since the last poll. */
  const readState = async (newest: Queryable) => {
    const progress = await readProgress(newest, cursor?.outbox ?? null, maxChanges);
    const nextStatus = toIndexStatus(progress.status);
    const changes = await readChanges(newest, cursor, progress);
    const tags: Set<CacheTag> | typeof everything =
      changes.tags === everything
        ? everything
        : new Set([...changes.tags, ...getTagsChangedByHead(status, nextStatus)]);
    let rows = ethUsdRows && { ...ethUsdRows, indexTime: nextStatus.indexedTime ?? ethUsdRows.indexTime };
    if (tags === everything || tags.has("eth_usd") || tags.has("minute")) rows = await readEthUsd(newest);
    // The price can also change without an observation, because the window ends with the last indexed block.
    if (tags !== everything && getIndexedPrice(ethUsdRows) !== getIndexedPrice(rows)) tags.add("eth_usd");
    return { status: nextStatus, ethUsdRows: rows, cursor: changes.cursor, tags };
  };

  /** Reads all changes, then applies them at once, so that no response uses a part of them. */
  const poll = async () => {
    // Set before the queries: the next poll finds commits during the queries.
    const startedAt = clock.now();
    const next = await db.readNewest(readState, toChangedParts);
    ({ status, ethUsdRows, cursor } = next);
    statusIsFresh = getStaleReason(next.status) === null;
    if (next.tags === everything || next.tags.size > 0) cache.invalidate(next.tags);
    syncedAt = startedAt;
  };

  const sync = async () => {
    running ??= poll().finally(() => {
      running = null;
    });
    await running;
  };

  const isSynced = () => {
    const age = clock.now() - syncedAt;
    return age >= 0 && age <= (followed ? followedMaxAgeMs : unfollowedMaxAgeMs);
  };

  const observe = () => observeEthUsd(options.ethUsdSource(), ethUsdRows, statusIsFresh);

  const toContext = (index: FreshIndex): ReadContext => {
    const { price } = observe();
    const last = ethUsdRows?.observations.at(-1);
    return { index, ethUsd: price === null ? null : { price, block: last!.block_number, time: last!.block_time } };
  };

  return {
    /**
     * Returns the cached response of `key`, or builds it.
     *
     * @param dependsOn - The tags that invalidate the response when they change.
     * @param build - Reads a value for JSON, or a response of another type, from the database. Must use one statement,
     *   so that all parts are from one moment.
     * @throws SlipwayError `index_unavailable`; errors of `build`; a database error without change.
     */
    async getResponse(
      key: string,
      dependsOn: readonly CacheTag[],
      build: (db: Queryable, context: ReadContext) => Promise<unknown>,
    ): Promise<CachedResponse> {
      if (!isSynced()) await sync();
      const index = requireFreshIndex(status!);
      return await cache.getOrBuild(key, dependsOn, async () => {
        const built = await build(db.read, toContext(index));
        const response = built instanceof CachedResponse ? built : serializeJson(built);
        keys.set(response.bytes, key);
        return response;
      });
    },

    /**
     * Returns the response of a key if it is cached, without building it.
     *
     * @throws SlipwayError `index_unavailable`.
     */
    async findResponse(key: string): Promise<CachedResponse | undefined> {
      if (!isSynced()) await sync();
      requireFreshIndex(status!);
      return cache.peek(key);
    },

    /** Returns the response of a key if it is cached and fresh. Makes no query. */
    peek(key: string): CachedResponse | undefined {
      return statusIsFresh && isSynced() ? cache.peek(key) : undefined;
    },

    /** Returns the key of a response by its bytes. */
    getKey: (bytes: Uint8Array) => keys.get(bytes),

    /** @throws SlipwayError `index_unavailable`. */
    async getFreshIndex(): Promise<FreshIndex> {
      if (!isSynced()) await sync();
      return requireFreshIndex(status!);
    },

    /** Returns the oracle's current observation and the resulting quote of responses, also while the index is stale. */
    async getEthUsd(): Promise<{ oracle: OracleObservation; quote: "usd" | "eth" }> {
      if (!isSynced()) await sync();
      const oracle = observe();
      return { oracle, quote: oracle.price === null ? "eth" : "usd" };
    },

    /** Polls for changes now. */
    sync,

    /**
     * Polls until the changes up to an outbox id are applied, so that no later response is older than that change.
     *
     * @throws SlipwayError `storage_unavailable` if they cannot be read now: the primary reported the id and does not
     *   answer any more.
     */
    async syncTo(outboxId: number): Promise<void> {
      const isApplied = () => cursor !== null && cursor.outbox >= outboxId;
      if (!isApplied()) await sync();
      // The first call may have joined a poll that began before the change.
      if (!isApplied()) await sync();
      if (!isApplied()) throw new SlipwayError("storage_unavailable");
    },

    /** Sets whether `sync` is called after each commit, so that requests need not call it. */
    setFollowed(value: boolean): void {
      followed = value;
    },

    size: () => cache.size(),

    /** Returns the newest known outbox id, and the time at which all changes were last read; -Infinity before. */
    progress: () => ({ outboxId: cursor?.outbox ?? 0, syncedAtMs: syncedAt }),
  };
}

/** The last known changes of the outbox and of data outside the chain. */
type ChangeCursor = NewestChanges;
type Changes = { cursor: ChangeCursor; tags: Set<CacheTag> | typeof everything };

/** Changes outside the chain, and the functions that list their tokens. */
const offChain = [
  ["manifests", listChangedManifests],
  ["pictures", listChangedPictures],
  ["blockedTokens", listChangedBlocks],
] as const;

/** The time since the last report of the indexer differs at each poll without a change. */
function toChangedParts({ status, cursor }: { status: IndexStatus; cursor: ChangeCursor }) {
  return { status: { ...status, silentMs: null }, cursor };
}

/** Reads the changes after a cursor, and the next cursor. */
async function readChanges(
  db: Queryable,
  cursor: ChangeCursor | null,
  { newest, changes: rows }: ReadProgress,
): Promise<Changes> {
  // At the start the cache is empty. A cursor ahead of the newest change means another database or a rebuilt database.
  const isOlder = (name: keyof ChangeCursor) => cursor === null || newest[name] < cursor[name];
  const names = Object.keys(newest) as (keyof ChangeCursor)[];
  if (cursor === null || names.some(isOlder)) {
    return { cursor: newest, tags: everything };
  }
  const tags = new Set<CacheTag>();
  if (newest.blockedOpenings !== cursor.blockedOpenings) tags.add("openings");
  for (const [name, listChanged] of offChain) {
    if (newest[name] === cursor[name]) continue;
    const tokens = await listChanged(db, cursor[name], maxChanges);
    if (tokens.length === maxChanges) return { cursor: newest, tags: everything };
    for (const token of tokens) tags.add("tokens").add(toTokenTag(token));
  }
  if (newest.outbox === cursor.outbox) return { cursor: newest, tags };
  const next = { ...newest, outbox: Math.max(newest.outbox, rows.at(-1)?.id ?? 0) };
  const arePruned = rows.length === 0 || (await mayHavePrunedRows(db, cursor.outbox, rows[0]!.id));
  if (arePruned || rows.length === maxChanges) return { cursor: next, tags: everything };
  for (const { change } of rows) {
    const changed = getChangedTags(change);
    if (changed === everything) return { cursor: next, tags: everything };
    for (const tag of changed) tags.add(tag);
  }
  return { cursor: next, tags };
}

/** Returns the tags that change with the head, without an outbox row. */
function getTagsChangedByHead(before: IndexStatus | null, after: IndexStatus): CacheTag[] {
  const tags: CacheTag[] = [];
  if (after.indexedBlock !== before?.indexedBlock || after.headBlock !== before?.headBlock) tags.push("block");
  if (bucketStart(after.indexedTime ?? 0, 60) !== bucketStart(before?.indexedTime ?? 0, 60)) tags.push("minute");
  return tags;
}
