import { commitsToDraft } from "@slipway/protocol/draftCommitment";
import { SlipwayError } from "@slipway/protocol/errors";
import { type Intent, maxPreparedLaunches, type Recipient } from "@slipway/protocol/intent";
import type { LaunchOptions } from "@slipway/protocol/launchOptions";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Queryable } from "../db/database.ts";

/** A recipient, and whether one account has verified both the handle and the wallet. */
export type Label = Recipient & { verified: boolean };

/** A draft. `labels` are its recipients with their current verification. */
export type StoredDraft = {
  id: string;
  intent: Intent;
  labels: Label[];
  /** Null if no options are stored. */
  options: LaunchOptions | null;
  /** Time at which the options were stored, as text with all digits; null if no options are stored. */
  optionsChangedAt: string | null;
  /** Whether a launch was prepared with other options. */
  hasEarlierOptions: boolean;
};

/** Returns the creator of a draft's launch: the creator in its options, or else the sending wallet. */
export const getCreator = ({ options }: Pick<StoredDraft, "options">, wallet: Hex): Hex =>
  options?.creator ? checksummed(options.creator) : wallet;

/** SQL: whether a launch of the draft in `app.intents` was prepared with options other than the current options. */
export const hasEarlierOptions = `exists (
  select from app.launches_prepared p
  where p.intent_id = app.intents.id and p.options_changed_at is distinct from app.intents.options_changed_at
)`;

/**
 * Loads a draft of the account.
 *
 * @throws SlipwayError `draft_not_found`, also for a draft of another account.
 */
export async function loadDraft(db: Queryable, accountId: string, intentId: string): Promise<StoredDraft> {
  const { rows } = await db.query<StoredDraft>({
    name: "draft",
    text: `select id, intent, coalesce(app.labels_of(intent), '[]') as labels, options,
       options_changed_at::text as "optionsChangedAt", ${hasEarlierOptions} as "hasEarlierOptions"
     from app.intents
     where id = $1 and account_id = $2`,
    values: [intentId, accountId],
  });
  if (!rows[0]) throw new SlipwayError("draft_not_found", undefined, { field: "intent_id" });
  return rows[0];
}

const foreignKeyViolation = "23503";

/** Finds the indexed tokens of earlier launches of a draft. */
export async function findLaunchedTokens(db: Queryable, intentId: string): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>({
    name: "tokens-of-draft",
    text: `select t.address from app.launches_prepared p join chain.tokens t on t.address = p.token
     where p.intent_id = $1 order by t.block_number`,
    values: [intentId],
  });
  return rows.map(({ address }) => address);
}

/**
 * Stores the draft of a prepared token. The token's address commits to the draft, so no other draft of any account has
 * the same address. If several launches have the same address (they differ only in their initial buy), the options of
 * the first launch stay recorded.
 *
 * A draft has at most `maxPreparedLaunches` rows. Concurrent requests do not see each other's rows, and may exceed the
 * maximum by the number of PostgreSQL connections. No row is replaced: a wallet can send its transaction at any time,
 * and the token would then lack the draft's labels.
 *
 * @param row - `optionsChangedAt`: the value of the launched draft.
 * @throws SlipwayError `draft_not_found`, `invalid_fields` (the draft has the maximum). The caller must then not return
 * the launch.
 */
export async function insertPreparedLaunch(
  db: Queryable,
  row: {
    token: string;
    intentId: string;
    accountId: string;
    wallet: string;
    splitter: string;
    optionsChangedAt: string | null;
  },
): Promise<void> {
  const token = row.token.toLowerCase();
  const stored = db.query<{ known: boolean }>({
    name: "store-prepared-launch",
    text: `with stored as (
         insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter, options_changed_at)
         select $1, $2, $3, $4, $5, $6::timestamptz
         where (select count(*) from app.launches_prepared where intent_id = $2) < ${maxPreparedLaunches}
         on conflict (token) do nothing
         returning token)
       select exists (select from stored) or exists (select from app.launches_prepared where token = $1) as known`,
    values: [
      ...[token, row.intentId, row.accountId, row.wallet.toLowerCase(), row.splitter.toLowerCase()],
      row.optionsChangedAt,
    ],
  });
  const { rows } = await stored.catch(throwDraftNotFound);
  if (rows[0]!.known) return;
  // The statement does not see rows that another statement stored meanwhile.
  const known = await db.query("select from app.launches_prepared where token = $1", [token]);
  if (known.rowCount === 1) return;
  throw new SlipwayError(
    "invalid_fields",
    `${maxPreparedLaunches} launches with other token addresses were prepared from this draft. Prepare one of them ` +
      "again, with the same wallet, splitter and salt, or store a new draft.",
    { field: "intent_id" },
  );
}

/** Maximum stored deployments of a draft. Later deployments are prepared but not stored. */
const maxPreparedSplitters = 1_000;

/**
 * Stores the prepared deployment of a draft's splitter for a wallet.
 *
 * @throws SlipwayError `draft_not_found`.
 */
export async function insertPreparedSplitter(
  db: Queryable,
  row: { intentId: string; wallet: string; method: "creation" | "factory"; accountNonce: number },
): Promise<void> {
  const stored = db.query(
    `insert into app.splitters_prepared (intent_id, wallet, method, account_nonce)
     select $1, $2, $3, $4
     where (select count(*) from app.splitters_prepared where intent_id = $1) < ${maxPreparedSplitters}
     on conflict do nothing`,
    [row.intentId, row.wallet.toLowerCase(), row.method, row.accountNonce],
  );
  await stored.catch(throwDraftNotFound);
}

/** Throws `draft_not_found` if the draft was deleted while a transaction was prepared; rethrows any other error. */
function throwDraftNotFound(error: Error & { code?: string }): never {
  if (error.code !== foreignKeyViolation) throw error;
  throw new SlipwayError("draft_not_found", undefined, { field: "intent_id", cause: error });
}

/** The draft of a prepared launch, and the data that decides whether the launch shows the draft's labels. */
export type PreparedDraft = {
  draftId: string;
  intent: Intent;
  labels: Label[] | null;
  creator: string;
  contractUri: string;
  /** Whether the draft's account has linked the launch's creator. */
  isCreatorLinked: boolean;
};

/** SQL for the PreparedDraft of `chain.tokens t`; null if this service did not prepare the launch. */
export const preparedDraft = `(
  select json_build_object('draftId', p.intent_id, 'intent', i.intent, 'labels', app.labels_of(i.intent),
    'creator', t.creator, 'contractUri', t.contract_uri, 'isCreatorLinked', exists (
      select from app.wallets w where w.user_id = p.account_id and lower(w.address) = t.creator))
  from app.launches_prepared p join app.intents i on i.id = p.intent_id
  where p.token = t.address and p.wallet = t.creator and p.splitter = t.splitter
)`;

/**
 * Returns the labels of a launch's recipients. The labels come from the draft to which the launch's document commits,
 * or which the creator's account made. No other account can label the launch by a draft with the same content or a copy
 * of the document.
 */
export function getLaunchLabels(prepared: PreparedDraft | null): Label[] {
  if (prepared === null) return [];
  const isOwn = prepared.isCreatorLinked || commitsToDraft(prepared.contractUri, prepared);
  return isOwn ? (prepared.labels ?? []) : [];
}

/** Finds the labels of a launch's recipients; empty if the launch shows no labels. */
export async function findLaunchLabels(db: Queryable, token: string): Promise<Label[]> {
  const { rows } = await db.query<{ prepared: PreparedDraft | null }>(
    `select ${preparedDraft} as prepared from chain.tokens t where t.address = $1`,
    [token.toLowerCase()],
  );
  return getLaunchLabels(rows[0]?.prepared ?? null);
}
