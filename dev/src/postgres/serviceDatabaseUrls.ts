import { createHmac } from "node:crypto";
import type { Postgres } from "./startPostgres.ts";

/**
 * The connection URLs of the running service's two roles: the API and its workers may write `app.*`, the indexer
 * `chain.*`. The server creates the roles with these passwords. They are derived from the owner's, so that nothing
 * more has to be kept: who has that one has these too.
 */
export function serviceDatabaseUrls(postgres: Postgres): { apiUrl: string; indexerUrl: string } {
  const urlOf = (user: string) => {
    const password = createHmac("sha256", new URL(postgres.url).password).update(user).digest("hex");
    return postgres.urlFor({ user, password });
  };
  return { apiUrl: urlOf("slipway_api"), indexerUrl: urlOf("slipway_indexer") };
}
