import {
  type ApiKey,
  apiKeyList,
  createdApiKey,
  defaultKeyScopes,
  endedSessions,
  newApiKey,
  removed,
  sessionList,
} from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { z } from "zod";
import { lockAccount } from "../../accounts/accounts.ts";
import { type ApiKeyRow, createApiKeySecret, insertApiKey, listApiKeys, revokeApiKey } from "../../accounts/apiKeys.ts";
import { endSession, endSessions, findSessionWallet, listSessions } from "../../accounts/sessions.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";

const keyParams = z.object({ id: z.uuid().describe("The id of one of the account's keys.") });
const sessionParams = z.object({ id: z.uuid().describe("The id of one of the account's sessions.") });

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes.length === 0 ? [...defaultKeyScopes] : row.scopes,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

/** The account's credentials: API keys and browser sessions. */
export function credentialRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Account", scope: "account" } as const;
  const db = deps.db.api;

  return [
    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/account/keys",
      name: "createApiKey",
      recentSignIn: true,
      summary: "Create an API key",
      description:
        "The key is in this answer and nowhere else; only its SHA-256 is kept. `scopes`: at most the session's; left out: " +
        "`read`, `write` and `transactions`. An account has at most 100 keys, and a key creates none.",
      schemas: { body: newApiKey },
      answers: { 201: { description: "The key", schema: createdApiKey } },
      errors: ["too_many_keys", "storage_unavailable"],
      handle: async ({ body, principal, reply }) => {
        const scopes = body.scopes ?? defaultKeyScopes;
        const excess = scopes.find((one) => !principal.scopes.includes(one));
        if (excess !== undefined) {
          throw new SlipwayError("scope_required", "A key cannot have more scopes than who creates it.", {
            details: { scope: excess },
          });
        }
        const { key, hash, prefix } = createApiKeySecret(deps.ids);
        const { accountId } = principal;
        const row = await withTransaction(db, async (client) => {
          await lockAccount(client, accountId);
          const wallet = await findSessionWallet(client, accountId, principal.sessionId!);
          if (wallet === undefined) throw new SlipwayError("unauthorized", "The session has ended.");
          return await insertApiKey(client, {
            keyId: deps.ids.uuid(),
            accountId,
            name: body.name,
            hash,
            prefix,
            scopes: [...new Set(scopes)],
            expiresInDays: body.expires_in_days,
            createdBy: wallet,
          });
        });
        if (row === null) throw new SlipwayError("too_many_keys");
        reply.code(201);
        return { ...toApiKey(row), key };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/keys",
      name: "listApiKeys",
      summary: "List the API keys that may be used, newest first",
      description: "Without the keys themselves: `prefix` are the first characters of each.",
      answers: { 200: { description: "The keys, without what they are", schema: apiKeyList } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => ({ items: (await listApiKeys(db, principal.accountId)).map(toApiKey) }),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/keys/:id",
      name: "revokeApiKey",
      summary: "Revoke an API key; it is refused within a second",
      description: "It cannot be used again. WebSockets that it opened are closed.",
      schemas: { params: keyParams },
      answers: { 200: { description: "Revoked", schema: removed } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        if (!(await revokeApiKey(db, params.id, principal.accountId))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/sessions",
      name: "listSessions",
      summary: "List the browsers that are signed in",
      description: "`current` is the session of this request; `address` and `user_agent` are those of the sign-in.",
      answers: { 200: { description: "The sessions", schema: sessionList } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => ({
        items: (await listSessions(db, principal.accountId)).map((row) => ({
          id: row.id,
          current: row.id === principal.sessionId,
          created_at: row.created_at.toISOString(),
          expires_at: row.expires_at.toISOString(),
          address: row.ip_address || null,
          user_agent: row.user_agent || null,
        })),
      }),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/sessions",
      name: "endSessions",
      recentSignIn: true,
      summary: "Sign out everywhere",
      description:
        "Every browser's session, this one included, is refused within a second; sign-ins and links under way end. API keys " +
        "stay.",
      answers: { 200: { description: "How many sessions there were", schema: endedSessions } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => ({ ended: await endSessions(db, principal.accountId) }),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/sessions/:id",
      name: "endSession",
      recentSignIn: true,
      summary: "Sign one browser out",
      description: "The session is refused within a second.",
      schemas: { params: sessionParams },
      answers: { 200: { description: "Signed out", schema: removed } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        if (!(await endSession(db, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),
  ];
}
