import { randomUUID } from "node:crypto";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { createIds } from "@slipway/server/createIds";
import { systemClock } from "@slipway/server/systemClock";
import { useReadApp } from "../server/useReadApp.ts";

export type JsonAnswer = { status: number; body: any; headers: Record<string, any> };

/** The parts of a request besides its path. */
type Sent = { key?: string; body?: unknown; headers?: Record<string, string> };

const ids = createIds(systemClock);
const apiRoot = "/api/v1/launchpad";

/** A server over an empty database for each test, with accounts that can publish. */
export function useBusinesses() {
  const fixture = useReadApp();
  const send = async (method: string, path: string, { key, body, headers = {} }: Sent = {}): Promise<JsonAnswer> => {
    const answer = await fixture.read.app.inject({
      method: method as "GET",
      url: path.startsWith("/api/") ? path : `${apiRoot}${path}`,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { payload: body as object }),
    });
    const isJson = String(answer.headers["content-type"]).startsWith("application/json") && answer.body !== "";
    return { status: answer.statusCode, body: isJson ? answer.json() : undefined, headers: answer.headers };
  };
  return {
    fixture,
    send,

    /** Creates an account and its key. */
    createAccount: async (scopes: ("read" | "write" | "admin")[] = []): Promise<{ accountId: string; key: string }> => {
      const { key, hash, prefix } = createApiKeySecret(ids);
      const accountId = ids.uuid();
      const names = { name: "Ada", keyName: "key" };
      await createAccount(fixture.database.db.api as never, {
        accountId,
        keyId: ids.uuid(),
        hash,
        prefix,
        scopes,
        ...names,
      });
      return { accountId, key };
    },

    publish: (key: string, change: object = {}, idempotencyKey: string = randomUUID()) =>
      send("POST", "/businesses", {
        key,
        body: { ...bakery, ...change },
        headers: { "idempotency-key": idempotencyKey },
      }),
  };
}

/** Returns a body of POST /businesses. */
export const bakery = {
  name: "Tin Boat Bakery",
  description: "Bread from a boat.",
  category: "food-drink",
};
