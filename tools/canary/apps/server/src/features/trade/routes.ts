import { randomBytes } from "node:crypto";
import type pg from "pg"; // violation: the database driver
import { startStack } from "@slipway/dev/startStack"; // violation: imports protocol and deploy only
import { buildApp } from "../../http/app.ts"; // violation: features: of http, only the form of a route
import { guardedRoute } from "../../http/route.ts";
import { startIndexer } from "../../indexer/startIndexer.ts"; // violation: features: must not import
import { startServer } from "../../startServer.ts"; // violation: only the composition root
import { systemClock } from "../../clock.ts"; // violation: clock and ids come through deps
import { countTokens as count } from "../tokens/queries.ts"; // violation: a feature never imports a feature
import type { Listing } from "../../features/tokens/listing.ts"; // violation: a feature never imports a feature

export { countTokens as again } from "../tokens/queries.ts"; // violation: Avoid barrel files // violation: a feature never imports a feature
export const lazy = () => import("../tokens/queries.ts"); // violation: a feature never imports a feature
export const price = () => fetch("https://example.com"); // violation: global variable fetch
export const salt = () => randomBytes(32); // violation: Time, ids and randomness
export const key = () => process.env.API_KEY; // violation: process.env
export const all = (db: pg.Pool) => db.query<Listing>("select * from chain.launches"); // violation: SQL lives only
export const one = (db: pg.Pool, id: string) =>
  db.query(`insert into app.trades (id) values ('${id}')`); // violation: SQL lives only
export const used = [startStack, buildApp, guardedRoute, startIndexer, startServer, systemClock, count];
