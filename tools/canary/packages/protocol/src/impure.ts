import { readFileSync } from "node:fs"; // violation: protocol: pure vocabulary
import { openDatabase } from "@slipway/server/db/database"; // violation: protocol: pure vocabulary

export const now = () => Date.now(); // violation: Time, ids and randomness
export const fresh = () => new Date(); // violation: Time, ids and randomness
export const chance = () => Math.random(); // violation: Time, ids and randomness
export const id = () => crypto.randomUUID(); // violation: Time, ids and randomness // violation: global variable crypto
export const remote = () => fetch("https://example.com"); // violation: global variable fetch
export const sly = () => globalThis.fetch("https://example.com"); // violation: global variable globalThis
export const home = () => process.env.HOME; // violation: process.env // violation: global variable process
export const used = [readFileSync, openDatabase];
