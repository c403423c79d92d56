import { parseArgs } from "node:util";
import { z } from "zod";
import { withCommandPool } from "./db/withCommandPool.ts";
import { checkHistory, type Difference } from "./history/engine/checkHistory.ts";
import { readHistoryState } from "./history/stateQueries.ts";
import { historySettings } from "./historySettings.ts";
import { createClickHouse } from "./providers/clickHouse/createClickHouse.ts";
import { systemClock } from "./systemClock.ts";

const usage = `Compares the history engine (HISTORY_URL, HISTORY_CLUSTER) with the database that DATABASE_URL names.

  history:check -- [--repair]

Prints a line for each token and block range that differs. --repair copies differing rows again and deletes other rows of
the engine, but only in ranges that the database still has as they were copied. Exit code 1 if differences remain.
`;

/** A command line that is not valid (sysexits EX_USAGE). */
const usageExitCode = 64;

class UsageError extends Error {}

function parseCommand(argv: string[]) {
  const { values } = parseArgs({ args: argv, options: { repair: { type: "boolean" } } });
  const { DATABASE_URL: connectionString, HISTORY_URL, HISTORY_CLUSTER, HISTORY_TIMEOUT_MS } = process.env;
  if (!connectionString) throw new UsageError("DATABASE_URL is not set");
  const settings = z
    .object({ ...historySettings, HISTORY_URL: historySettings.HISTORY_URL.unwrap() })
    .safeParse({ HISTORY_URL: HISTORY_URL ?? "", HISTORY_CLUSTER: HISTORY_CLUSTER || undefined, HISTORY_TIMEOUT_MS });
  if (!settings.success) {
    const { path, message } = settings.error.issues[0]!;
    throw new UsageError(`${String(path[0])}: ${message}`);
  }
  return { connectionString, repair: values.repair === true, settings: settings.data };
}

function toLine({ table, token, afterBlock, toBlock, stored, copied, state }: Difference): string {
  const rows = `${table} of ${token ?? "all tokens"} in blocks ${afterBlock + 1} to ${toBlock}`;
  if (state === "changed") {
    return `differs: ${rows}: ${stored} were copied, the database now has ${copied} or others; nothing is repaired from it\n`;
  }
  const remedy = token === null ? "; the database no longer has them: attach their partition, then use --repair" : "";
  return `${state}: ${rows}: ${stored} were copied, the engine has ${copied} or others${remedy}\n`;
}

/** @returns Whether both stores agree. */
async function run({ connectionString, repair, settings }: ReturnType<typeof parseCommand>): Promise<boolean> {
  return await withCommandPool(connectionString, async (pool) => {
    const state = await readHistoryState(pool);
    if (state === undefined) {
      process.stdout.write("Nothing has been copied to the history engine.\n");
      return true;
    }
    const clickHouse = createClickHouse({
      server: settings.HISTORY_URL,
      cluster: settings.HISTORY_CLUSTER,
      timeoutMs: settings.HISTORY_TIMEOUT_MS,
      clock: systemClock,
    });
    const differences = await checkHistory(pool, { clickHouse, generation: state.generation }, state, {
      repair,
      version: Math.floor(systemClock.now() / 1_000),
      sleep: (milliseconds) => systemClock.sleep(milliseconds),
      onProgress: (toBlock) => process.stderr.write(`compared to block ${toBlock} of ${state.copied_block}\n`),
    });
    for (const difference of differences) process.stdout.write(toLine(difference));
    const left = differences.filter(({ state: found }) => found !== "repaired").length;
    process.stdout.write(`${differences.length} differences, ${left} left, to block ${state.copied_block}\n`);
    return left === 0;
  });
}

try {
  process.exitCode = (await run(parseCommand(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(`${(error as Error).message}\n${isUsage ? `\n${usage}` : ""}`);
  process.exitCode = isUsage ? usageExitCode : 1;
}
