import { type ApiKey, defaultKeyScopes } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { lockAccount } from "../../accounts/accounts.ts";
import { type ApiKeyRow, createApiKeySecret, insertApiKey, listApiKeys, revokeApiKey } from "../../accounts/apiKeys.ts";
import { endSession, endSessions, findSessionWallet, listSessions } from "../../accounts/sessions.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

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

/** Routes for the account's credentials: API keys and browser sessions. */
export function credentialRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  return [
    createRoute("createApiKey", {
      handle: async ({ body, principal, reply }) => {
        const scopes = body.scopes ?? defaultKeyScopes;
        const excess = scopes.find((one) => !principal.scopes.includes(one));
        if (excess !== undefined) {
          throw new SlipwayError("scope_required", "A key cannot have more scopes than the session that creates it.", {
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

    createRoute("listApiKeys", {
      handle: async ({ principal }) => ({ items: (await listApiKeys(db, principal.accountId)).map(toApiKey) }),
    }),

    createRoute("revokeApiKey", {
      handle: async ({ params, principal }) => {
        if (!(await revokeApiKey(db, params.id, principal.accountId))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    createRoute("listSessions", {
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

    createRoute("endSessions", {
      handle: async ({ principal }) => ({ ended: await endSessions(db, principal.accountId) }),
    }),

    createRoute("endSession", {
      handle: async ({ params, principal }) => {
        if (!(await endSession(db, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),
  ];
}
