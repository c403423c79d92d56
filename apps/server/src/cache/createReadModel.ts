import { bucketStart } from "@slipway/protocol/candle";
import { plausibleEthUsd } from "@slipway/protocol/price";
import type { OracleObservation } from "@slipway/protocol/settings";
import type { Queryable } from "../db/database.ts";
import { type FreshIndex, type IndexStatus, indexStatus, requireFreshIndex, staleReason } from "./indexStatus.ts";
import type { Clock } from "../clock.ts";
import { type ReadyAnswer, readyJson } from "./cachedResponse.ts";
import { createAnswerCache } from "./createResponseCache.ts";
import { type EthUsdSource, observeEthUsd, oracleWindowSeconds } from "../pricing/ethUsdOracle.ts";
import { changedManifests, newestChanges } from "./queries.ts";
import { type EthUsdRows, readEthUsd } from "../pricing/queries.ts";
import { mayBePruned, outboxChanges } from "../live/queries.ts";
import { everything, type Tag, tagsOf, tokenTag } from "./cacheTag.ts";

export type ReadModel = ReturnType<typeof createReadModel>;

/** What is true of every answer at one moment. */
export type Present = {
  index: FreshIndex;
  /** The last ETH/USD observation, with its block and Unix seconds; null when it is not known or not trusted. */
  ethUsd: { price: number; block: number; time: number } | null;
};

export type ReadModelOptions = {
  db: Queryable;
  clock: Pick<Clock, "now">;
  maxBytes: number;
  ethUsdSource: () => EthUsdSource | null;
};

/** How old the knowledge of the index may be, in milliseconds, while nobody wakes the model up. */
const unfollowedAgeMs = 20;
/** The same while `startReadModel` does: only a bound for when the follower itself hangs. */
const followedAgeMs = 1_500;

/** More changes than this at once: everything is built anew rather than each change looked at. */
const changesAtOnce = 5_000;

/**
 * Hot answers as ready bytes. An answer is built by one query when it is first asked for, kept, and built again only
 * after the outbox said that something it depends on has changed. Nothing is answered while the index is not fresh.
 */
export function createReadModel(options: ReadModelOptions) {
  const { db, clock } = options;
  const cache = createAnswerCache(options.maxBytes);
  let status: IndexStatus | null = null;
  let statusIsFresh = false;
  let ethUsdRows: EthUsdRows | null = null;
  let cursor: Cursor | null = null;
  let syncedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  let followed = false;
  /** The key of the bytes of each answer that is still somewhere. */
  const keys = new WeakMap<Uint8Array, string>();

  /** Reads all that may have changed, then takes it over at once: no answer sees half of it. */
  const look = async () => {
    // Taken before the queries: what is committed while they run is looked for again soon enough.
    const begunAt = clock.now();
    const nextStatus = await indexStatus(db);
    const news = await readNews(db, cursor);
    const changed =
      news.changed === everything ? everything : new Set([...news.changed, ...agedTags(status, nextStatus)]);
    if (changed === everything || changed.has("eth_usd") || changed.has("minute")) {
      ethUsdRows = await readEthUsd(db, oracleWindowSeconds);
    }
    status = nextStatus;
    statusIsFresh = staleReason(nextStatus) === null;
    cursor = news.cursor;
    if (changed === everything || changed.size > 0) cache.changed(changed);
    syncedAt = begunAt;
  };

  const sync = async () => {
    running ??= look().finally(() => {
      running = null;
    });
    await running;
  };

  const isSynced = () => {
    const age = clock.now() - syncedAt;
    return age >= 0 && age <= (followed ? followedAgeMs : unfollowedAgeMs);
  };

  const observe = () => observeEthUsd(options.ethUsdSource(), ethUsdRows, statusIsFresh);

  const present = (index: FreshIndex): Present => {
    const last = ethUsdRows?.observations.at(-1);
    const price = last === undefined || observe().reason !== null ? null : plausibleEthUsd(last.price);
    return { index, ethUsd: price === null ? null : { price, block: last!.block_number, time: last!.block_time } };
  };

  return {
    /**
     * The answer of `key` as ready bytes.
     *
     * @param dependsOn - What makes it stale.
     * @param build - Reads it from the database, in one statement so that it is of one moment.
     * @throws SlipwayError `index_unavailable`; whatever `build` throws; a database error as it is.
     */
    async answer(
      key: string,
      dependsOn: readonly Tag[],
      build: (db: Queryable, present: Present) => Promise<unknown>,
    ): Promise<ReadyAnswer> {
      if (!isSynced()) await sync();
      const index = requireFreshIndex(status!);
      return await cache.answer(key, dependsOn, async () => {
        const answer = readyJson(await build(db, present(index)));
        keys.set(answer.bytes, key);
        return answer;
      });
    },

    /** The answer of a key when it is kept and known to be fresh at this moment; asks nobody. */
    peek(key: string): ReadyAnswer | undefined {
      return statusIsFresh && isSynced() ? cache.peek(key) : undefined;
    },

    /** The key of an answer, by its bytes. */
    keyOf: (bytes: Uint8Array) => keys.get(bytes),

    /** How far the index is. @throws SlipwayError `index_unavailable`. */
    async index(): Promise<FreshIndex> {
      if (!isSynced()) await sync();
      return requireFreshIndex(status!);
    },

    /** What can be said of ETH/USD now, and the quote that answers have by it; also while the index is not fresh. */
    async ethUsd(): Promise<{ oracle: OracleObservation; quote: "usd" | "eth" }> {
      if (!isSynced()) await sync();
      const oracle = observe();
      return { oracle, quote: oracle.price === null ? "eth" : "usd" };
    },

    /** Looks now what has changed. */
    sync,

    /** Tells that somebody calls `sync` after every change, so that requests need not. */
    setFollowed(value: boolean): void {
      followed = value;
    },

    size: () => cache.size(),
  };
}

/** How far what has happened is known: of the outbox, and of the documents that launches name outside the chain. */
type Cursor = { outbox: number; manifests: number };
type News = { cursor: Cursor; changed: Set<Tag> | typeof everything };

/** What has happened after a cursor, and the cursor then. */
async function readNews(db: Queryable, cursor: Cursor | null): Promise<News> {
  const newest = await newestChanges(db);
  // At the start nothing is kept; a cursor ahead of the newest means another database or one begun anew.
  if (cursor === null || newest.outbox < cursor.outbox || newest.manifests < cursor.manifests) {
    return { cursor: newest, changed: everything };
  }
  const tags = new Set<Tag>();
  if (newest.manifests > cursor.manifests) {
    const tokens = await changedManifests(db, cursor.manifests, changesAtOnce);
    if (tokens.length === changesAtOnce) return { cursor: newest, changed: everything };
    for (const token of tokens) tags.add("tokens").add(tokenTag(token));
  }
  if (newest.outbox === cursor.outbox) return { cursor: newest, changed: tags };
  const changes = await outboxChanges(db, cursor.outbox, changesAtOnce);
  const next = { ...newest, outbox: Math.max(newest.outbox, changes.at(-1)?.id ?? 0) };
  // Rows that are gone were pruned: what they said is not known any more.
  const areGone = changes.length === 0 || (await mayBePruned(db, cursor.outbox, changes[0]!.id));
  if (areGone || changes.length === changesAtOnce) return { cursor: next, changed: everything };
  for (const change of changes) {
    const changed = tagsOf(change);
    if (changed === everything) return { cursor: next, changed: everything };
    for (const tag of changed) tags.add(tag);
  }
  return { cursor: next, changed: tags };
}

/** What changes with the head alone, without any row. */
function agedTags(before: IndexStatus | null, after: IndexStatus): Tag[] {
  const tags: Tag[] = [];
  if (after.indexedBlock !== before?.indexedBlock || after.headBlock !== before?.headBlock) tags.push("block");
  if (bucketStart(after.indexedTime ?? 0, 60) !== bucketStart(before?.indexedTime ?? 0, 60)) tags.push("minute");
  return tags;
}
