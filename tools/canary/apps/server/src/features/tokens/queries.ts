import type { Queryable } from "../../db/database.ts";

/** SQL is at home here: no violation. */
export const countTokens = (db: Queryable) => db.query("select count(*) from chain.launches");
