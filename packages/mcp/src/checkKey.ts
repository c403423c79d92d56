import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createClient";

/** The key cannot be used, with the reason for the person who configured it. */
export class KeyRefused extends Error {
  override name = "KeyRefused";
}

/**
 * Refuses a key that can change the account or administer the service: a model must not hold it, because a stranger's
 * text can mislead a model. Asks one operation of each scope, which must answer 403 `scope_required`.
 *
 * @throws KeyRefused for such a key, and for one that the service does not accept; the errors of the client.
 */
export async function checkKey(client: Pick<Client, "getAccount" | "listAccounts">): Promise<void> {
  await expectNoScope("account", () => client.getAccount());
  await expectNoScope("admin", () => client.listAccounts());
}

async function expectNoScope(scope: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "scope_required") return;
    if (error.code === "unauthorized") throw new KeyRefused("The service does not accept the key in SLIPWAY_API_KEY.");
    throw error;
  }
  throw new KeyRefused(
    `The key in SLIPWAY_API_KEY has the scope ${scope}. Create a key with the scopes read, write and transactions only.`,
  );
}
