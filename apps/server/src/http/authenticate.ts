import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { LRUCache } from "lru-cache";
import { findApiKey, touchApiKey } from "../db/apiKeys.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "./principal.ts";

/** How long a key's standing is remembered: a revoked key is refused within a second. */
const rememberedMs = 500;

/** Who asks: the headers of a request or of a WebSocket handshake, and whether the request changes anything. */
export type Caller = { headers: IncomingHttpHeaders; mutating: boolean };

/** @throws SlipwayError `unauthorized`. */
export type Authenticate = (caller: Caller) => Promise<Principal>;

/** Checks bearer keys against their stored hashes. */
export function createAuthenticate(deps: Pick<Deps, "db" | "clock" | "log">): Authenticate {
  const known = new LRUCache<string, { principal: Principal | null }>({
    max: 10_000,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now: () => deps.clock.now() },
  });

  return async ({ headers: { authorization } }) => {
    const key = /^Bearer ([\x21-\x7e]{8,256})$/i.exec(authorization ?? "")?.[1];
    if (key === undefined) {
      throw new SlipwayError("unauthorized", authorization === undefined ? undefined : "This is no bearer credential.");
    }
    // Looked up by its hash: no comparison of secrets takes time that depends on their content.
    const hash = createHash("sha256").update(key).digest();
    const cacheKey = hash.toString("base64");
    let found = known.get(cacheKey);
    if (!found) {
      const row = await findApiKey(deps.db.api, hash);
      found = { principal: row ? { accountId: row.account_id, keyId: row.id, scopes: row.scopes } : null };
      known.set(cacheKey, found);
      if (row) {
        touchApiKey(deps.db.api, row.id).catch((error) => deps.log.warn({ err: error }, "last use not recorded"));
      }
    }
    if (!found.principal) throw new SlipwayError("unauthorized", "The API key is unknown, expired or revoked.");
    return found.principal;
  };
}
