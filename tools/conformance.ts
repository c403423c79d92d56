import { existsSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./testing/repositoryRoot.ts";
import { runAll } from "./testing/runAll.ts";
import { suites } from "./testing/suites.ts";

/**
 * `npm run conformance`: the specification's rows against a running stack: the one that BASE_URL names (with API_KEY),
 * else this checkout's own, which `npm start` runs; a throw-away one when there is neither.
 */
async function main(): Promise<number> {
  const isRunning = existsSync(join(repositoryRoot, ".slipway", "dev.json"));
  if (process.env.BASE_URL === undefined && isRunning) process.env.SLIPWAY_TARGET = "running";
  const target = process.env.BASE_URL ?? (isRunning ? "the stack of .slipway/dev.json" : "a throw-away stack");
  process.stdout.write(`Conformance of ${target}\n`);
  return runAll(suites.filter(({ name }) => name === "conformance" || name === "matrix"));
}

process.exitCode = await main();
