import { SlipwayError } from "@slipway/protocol/errors";
import type { Intent, Recipient } from "@slipway/protocol/intent";
import { poolAddress } from "@slipway/protocol/launchAddress";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import { listDeployments } from "../chain/readManifest.ts";
import type { Queryable } from "../db/database.ts";

/** An indexed launch; addresses are checksummed. */
export type IndexedLaunch = {
  token: `0x${string}`;
  pool: `0x${string}`;
  quoteToken: `0x${string}`;
  isToken0: boolean;
  symbol: string;
  decimals: number;
  feeBps: number;
  tickLower: number;
  tickUpper: number;
  /** Liquidity of the locked position. */
  liquidity: bigint;
  splitter: `0x${string}`;
  launchFactory: `0x${string}`;
  feeLocker: `0x${string}`;
};

type Row = {
  address: string;
  pool: string;
  quote_token: string;
  is_token0: boolean;
  symbol: string;
  decimals: number;
  fee_bps: number;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: string;
  splitter: string;
  launch_factory: string;
  fee_locker: string;
};

async function findLaunch(db: Queryable, token: string): Promise<IndexedLaunch | null> {
  const { rows } = await db.query<Row>(
    `select t.address, t.pool, t.quote_token, t.is_token0, t.symbol, t.decimals, t.fee_bps, t.tick_lower, t.tick_upper,
       t.locked_liquidity, t.splitter, d.launch_factory, d.fee_locker
     from chain.tokens t join chain.deployments d on d.id = t.deployment_id
     where t.address = $1`,
    [token.toLowerCase()],
  );
  const row = rows[0];
  if (!row) return null;
  return {
    token: checksummed(row.address),
    pool: checksummed(row.pool),
    quoteToken: checksummed(row.quote_token),
    isToken0: row.is_token0,
    symbol: row.symbol,
    decimals: row.decimals,
    feeBps: row.fee_bps,
    tickLower: row.tick_lower,
    tickUpper: row.tick_upper,
    liquidity: BigInt(row.locked_liquidity),
    splitter: checksummed(row.splitter),
    launchFactory: checksummed(row.launch_factory),
    feeLocker: checksummed(row.fee_locker),
  };
}

const isSameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** A launch and the deployment of the manifest that it belongs to. */
export type SupportedLaunch = { launch: IndexedLaunch; deployment: LaunchDeployment };

/**
 * Loads the launch of a token and checks it against the manifest: the manifest lists its deployment (current or
 * earlier), and its pool is the one that the manifest's Uniswap factory derives for the token. A wrong row of the index
 * therefore never reaches a transaction.
 *
 * @throws SlipwayError `pool_not_supported`.
 */
export async function loadSupportedLaunch(db: Queryable, token: string, manifest: Manifest): Promise<SupportedLaunch> {
  const launch = await findLaunch(db, token);
  const deployment = listDeployments(manifest).find(
    (candidate) =>
      launch !== null &&
      isSameAddress(candidate.launch_factory.address, launch.launchFactory) &&
      isSameAddress(candidate.fee_locker.address, launch.feeLocker),
  );
  if (launch === null || deployment === undefined) throw createNotSupported();
  const pool = poolAddress(
    manifest.uniswap.factory.address as `0x${string}`,
    manifest.uniswap.pool_init_code_hash as `0x${string}`,
    launch.token,
    manifest.wrapped_native.address as `0x${string}`,
    launch.feeBps * 100,
  );
  if (!isSameAddress(pool, launch.pool) || !isSameAddress(launch.quoteToken, manifest.wrapped_native.address)) {
    throw createNotSupported();
  }
  return { launch, deployment };
}

function createNotSupported(): SlipwayError {
  return new SlipwayError("pool_not_supported", undefined, { field: "token" });
}

/** A recipient, and whether one account has verified both its handle and its wallet. */
export type Label = Recipient & { verified: boolean };

/** A draft; `labels` are its recipients with their current verification. */
export type StoredDraft = { id: string; intent: Intent; labels: Label[] };

/**
 * Loads a draft of the account.
 *
 * @throws SlipwayError `draft_not_found`, also for a draft of another account.
 */
export async function loadDraft(db: Queryable, accountId: string, intentId: string): Promise<StoredDraft> {
  const { rows } = await db.query<StoredDraft>(
    `select id, intent, coalesce(app.labels_of(intent), '[]') as labels from app.intents
     where id = $1 and account_id = $2`,
    [intentId, accountId],
  );
  if (!rows[0]) throw new SlipwayError("draft_not_found", undefined, { field: "intent_id" });
  return rows[0];
}

/** Finds the latest indexed price of one ETH in USD; null when there is none. */
export async function findLatestEthUsd(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ price: number }>(
    "select price from chain.eth_usd order by block_number desc, log_index desc limit 1",
  );
  return rows[0]?.price ?? null;
}

const foreignKeyViolation = "23503";

/** Finds the indexed tokens that this draft was launched as before. */
export async function findLaunchedTokens(db: Queryable, intentId: string): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>(
    `select t.address from app.launches_prepared p join chain.tokens t on t.address = p.token
     where p.intent_id = $1 order by t.block_number`,
    [intentId],
  );
  return rows.map(({ address }) => address);
}

/**
 * Stores the draft of a prepared token, and with it the labels of its recipients. The first account that prepares an
 * address keeps it, so that no other account can change the labels of a launch by preparing it again.
 *
 * @throws SlipwayError `draft_not_found`.
 */
export async function insertPreparedLaunch(
  db: Queryable,
  row: { token: string; intentId: string; accountId: string; wallet: string; splitter: string },
): Promise<void> {
  const stored = db.query(
    `insert into app.launches_prepared as known (token, intent_id, account_id, wallet, splitter)
     values ($1, $2, $3, $4, $5)
     on conflict (token) do update set intent_id = excluded.intent_id
     where known.account_id = excluded.account_id and known.intent_id <> excluded.intent_id`,
    [row.token.toLowerCase(), row.intentId, row.accountId, row.wallet.toLowerCase(), row.splitter.toLowerCase()],
  );
  await stored.catch((error: Error & { code?: string }) => {
    // The draft was deleted while its launch was prepared.
    if (error.code !== foreignKeyViolation) throw error;
    throw new SlipwayError("draft_not_found", undefined, { field: "intent_id", cause: error });
  });
}

/** Finds the recipients of the draft that a token was launched from; empty when it was not prepared by this service. */
export async function findDraftRecipients(db: Queryable, token: string): Promise<Label[]> {
  const { rows } = await db.query<{ labels: Label[] | null }>(
    `select app.labels_of(i.intent) as labels
     from app.launches_prepared p join app.intents i on i.id = p.intent_id where p.token = $1`,
    [token.toLowerCase()],
  );
  return rows[0]?.labels ?? [];
}
