import { randomBytes } from "node:crypto";

type Db = { query(text: string): Promise<unknown> };

export { countTokens as again } from "../tokens/queries.ts"; // violation: Avoid barrel files
export const price = () => fetch("https://example.com"); // violation: global variable fetch
export const salt = () => randomBytes(32); // violation: Time, ids and randomness
export const key = () => process.env.API_KEY; // violation: process.env
export const all = (db: Db) => db.query("select * from chain.launches"); // violation: SQL is written only
export const one = (db: Db, id: string) =>
  db.query(`insert into app.trades (id) values ('${id}')`); // violation: SQL is written only
