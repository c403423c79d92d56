import type { Queryable } from "./database.ts";

/**
 * Numbers of all advisory locks, by what they protect. A number never changes its meaning, because old and new versions
 * run together during a rollout, and functions of the migrations acquire some of these locks too.
 *
 * Two other locks use the hash of a text as their number: "slipway mail" with an address (accounts/queueMail.ts), and
 * "slipway wallet" with an address (accounts/identities.ts).
 */
export const advisoryLocks = {
  /** Running migrations. */
  migrations: 7_416_033_551,
  /** Granting the privileges of the two roles. */
  roles: 7_416_033_552,
  /** Writing the index. The holder is the leader. */
  indexLeader: 7_416_033_553,
  /** The order of `app.token_manifests.change`. */
  tokenManifestChanges: 7_416_033_556,
  /** Storing the keys of token names. */
  tokenNames: 7_416_033_561,
  /** Writing `app.listings`; also acquired by `app.lock_listings`. */
  listings: 7_416_033_571,
  /** Writing `app.gallery` and `app.gallery_items`, also by `app.lock_gallery` and the triggers of `chain.tokens`. */
  gallery: 7_416_033_572,
  /** Creating partitions of `app.market_bars`; only `app.create_bar_partitions` acquires it. */
  barPartitions: 7_416_033_573,
  /** Comparing images with denied images: exclusive for a new entry, shared for an image (`app.lock_denied_images`). */
  deniedImages: 7_416_033_574,
  /** Storing signals. */
  signals: 7_416_033_575,
  /** The order of `app.blocked_tokens.change`. */
  blockedTokenChanges: 7_416_033_576,
  /** The order of `app.blocked_openings.change`. */
  blockedOpeningChanges: 7_416_033_581,
  /** Making the next version of the token list. */
  tokenList: 7_416_033_577,
  /** Comparing the pictures of tokens. */
  similarImages: 7_416_033_579,
  /** Choosing the names of markets of pools. */
  poolMarkets: 7_416_033_578,
  /** Taking splitters for the keeper of fees, and storing its claims: day's cap and nonces. */
  keeper: 7_416_033_580,
  /** Exchanging partitions of `chain.trades`; also acquired by `chain.order_trades`. */
  history: 7_416_033_590,
} as const;

/** Waits for an advisory lock. The lock lasts until the transaction ends. */
export async function lockUntilCommit(client: Queryable, lock: keyof typeof advisoryLocks): Promise<void> {
  await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks[lock]]);
}

/** Tries to acquire an advisory lock until the transaction ends. @returns False if another session holds the lock. */
export async function tryLockUntilCommit(client: Queryable, lock: keyof typeof advisoryLocks): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_xact_lock($1) as locked", [
    advisoryLocks[lock],
  ]);
  return rows[0]!.locked;
}
