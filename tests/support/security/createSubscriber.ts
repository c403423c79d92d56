import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { startPlan } from "@slipway/server/accounts/plans";
import { createIds } from "@slipway/server/createIds";
import type { Database } from "@slipway/server/db/database";
import { systemClock } from "@slipway/server/systemClock";

export type SubscriberAccount = { id: string; keyId: string; key: string };

/** Creates an account with a key and, by default, a plan. */
export async function createSubscriber(db: Database, { plan = true } = {}): Promise<SubscriberAccount> {
  const ids = createIds(systemClock);
  const { key, hash, prefix } = createApiKeySecret(ids);
  const account = { id: ids.uuid(), keyId: ids.uuid(), key };
  const row = { accountId: account.id, name: "subscriber", keyId: account.keyId, keyName: "test", hash, prefix };
  await createAccount(db.indexer, { ...row, scopes: [] });
  if (plan) await startPlan(db.indexer, account.id, "subscriber");
  return account;
}
