import { parseArgs } from "node:util";
import type pg from "pg";
import { withCommandPool } from "./db/withCommandPool.ts";
import {
  detachTrades,
  findDetachable,
  listPartitions,
  nameDetached,
  orderTrades,
  type TradePartition,
} from "./features/history/partitionQueries.ts";

const usage = `Administers the partitions of trades in the database that DATABASE_URL names.

  history list                                   partitions with their blocks, times, trades and sizes
  history order                                  orders final trades by token now; the worker does so by itself
  history detach --before TIME                   shows the partitions whose trades are all older than TIME
  history detach --before TIME --yes [--drop]    detaches these partitions

TIME is a date (2026-01-31) or RFC 3339 in UTC. The trades of a detached partition leave all responses, unless a history engine has them; candles, volumes,
counters and profits stay. Without --drop, a partition becomes the table chain.detached_trades_FIRST_LAST; --drop deletes
its trades. They return only when the index is rebuilt from the chain.
`;

/** A command line that is not valid (sysexits EX_USAGE). */
const usageExitCode = 64;

class UsageError extends Error {}

type Command =
  | { action: "list" }
  | { action: "order" }
  | { action: "detach"; before: number; yes: boolean; drop: boolean };

function parseCommand(argv: string[]): Command {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { before: { type: "string" }, yes: { type: "boolean" }, drop: { type: "boolean" } },
  });
  const [action, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`unexpected argument ${others[0]}`);
  if (action === "list" || action === "order") {
    if (Object.keys(values).length > 0) throw new UsageError(`${action} takes no options`);
    return { action };
  }
  if (action !== "detach") throw new UsageError("name an action: list, order or detach");
  return { action, before: parseTime(values.before), yes: values.yes === true, drop: values.drop === true };
}

/** Parses a date or a time in UTC to Unix seconds. */
function parseTime(text: string | undefined): number {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text ?? "");
  const seconds = isTime ? Date.parse(text!) / 1000 : Number.NaN;
  if (Number.isNaN(seconds)) throw new UsageError("--before must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z");
  return seconds;
}

const toTime = (seconds: number | null) => (seconds === null ? "-" : new Date(seconds * 1000).toISOString());

function print(partitions: readonly TradePartition[]): void {
  const line = (cells: readonly (string | number)[]) =>
    process.stdout.write(
      `${cells
        .map((cell) => String(cell).padEnd(26))
        .join("")
        .trimEnd()}\n`,
    );
  line(["blocks", "first trade", "last trade", "trades", "MB"]);
  for (const { fromBlock, lastBlock, firstTime, lastTime, trades, bytes } of partitions) {
    const size = (bytes / 1e6).toFixed(1);
    line([`${fromBlock}-${lastBlock ?? ""}`, toTime(firstTime), toTime(lastTime), trades ?? "open", size]);
  }
}

async function detach(pool: pg.Pool, { before, yes, drop }: Command & { action: "detach" }): Promise<void> {
  const partitions = await listPartitions(pool);
  const found = yes ? await detachTrades(pool, { before, drop }) : findDetachable(partitions, before);
  if (found.length === 0) {
    process.stdout.write(`No ordered partition contains only trades before ${toTime(before)}.\n`);
    print(partitions);
    return;
  }
  print(found);
  if (!yes) process.stdout.write("Nothing was detached. Add --yes to detach these partitions.\n");
  else if (drop) process.stdout.write("Deleted.\n");
  else process.stdout.write(`Detached: ${found.map((partition) => `chain.${nameDetached(partition)}`).join(", ")}.\n`);
}

async function run(command: Command): Promise<void> {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new UsageError("DATABASE_URL is not set");
  await withCommandPool(connectionString, async (pool) => {
    if (command.action === "detach") await detach(pool, command);
    else if (command.action === "list") print(await listPartitions(pool));
    else process.stdout.write(`${await orderTrades(pool, { minTrades: 1, maxTrades: 16_000_000 })} trades ordered.\n`);
  });
}

try {
  await run(parseCommand(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}
