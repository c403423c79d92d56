// Copies the history in a process that kills itself: before its n-th request to the engine or the database's write for
// an odd n, and after it for an even n. Arguments: database URL, engine URL, cluster or "", n.
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import type { ClickHouse } from "@slipway/server/providers/clickHouse/createClickHouse";
import { pino } from "pino";
import { copyAll, openEngine } from "./historyFixture.ts";

const [databaseUrl, engineUrl, cluster, stepText] = process.argv.slice(2) as [string, string, string, string];
const killedStep = Math.ceil(Number(stepText) / 2);
const isAfter = Number(stepText) % 2 === 0;
let steps = 0;

/** Runs a step; kills the process before or after the chosen one. */
async function step<T>(work: () => Promise<T>): Promise<T> {
  steps++;
  const isChosen = steps === killedStep;
  if (isChosen && !isAfter) process.kill(process.pid, "SIGKILL");
  const result = await work();
  if (isChosen) process.kill(process.pid, "SIGKILL");
  return result;
}

const db = openDatabase(
  parseConfig({ DATABASE_URL: databaseUrl, RPC_URL: "http://127.0.0.1:1" }),
  pino({ level: "silent" }),
);
const clickHouse = openEngine(engineUrl, cluster || undefined);
const query = db.indexer.query.bind(db.indexer) as (text: string, values?: unknown[]) => Promise<unknown>;
const isWrite = (text: unknown) => typeof text === "string" && /insert into chain|update chain/.test(text);
Object.assign(db.indexer, {
  query: (text: string, values?: unknown[]) => (isWrite(text) ? step(() => query(text, values)) : query(text, values)),
});
const killable: ClickHouse = {
  ...clickHouse,
  query: (...args) => step(() => clickHouse.query(...args)),
  insert: (...args) => step(() => clickHouse.insert(...args)),
};
await copyAll({ db } as never, killable);
process.exit(0);
