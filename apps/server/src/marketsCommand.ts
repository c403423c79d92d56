import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { marketPair } from "@slipway/protocol/markets";
import { withCommandPool } from "./db/withCommandPool.ts";
import { withTransaction } from "./db/withTransaction.ts";
import { ImportRefused, openImportedMarket, storeImported } from "./markets/importBars.ts";
import type { Bar } from "./markets/readBars.ts";
import { CsvFault, readCsvBars } from "./providers/markets/csvSource.ts";
import { systemClock } from "./systemClock.ts";

const usage = `Imports bars of a market into the database that DATABASE_URL names.

  markets:import -- FILE --pair PAIR --interval 1h [--replace]

FILE is CSV with the header time,open,high,low,close,volume[,quote_volume,trades], one closed bar a line, ascending; times
are Unix seconds or RFC 3339 in UTC. Nothing is stored when a line cannot be imported. A stored bar is replaced only with
--replace. --interval is 1h or 1m; minutes are kept 90 days.
`;

/** A command line that is not valid (sysexits EX_USAGE). */
const usageExitCode = 64;
const intervals: Record<string, 60 | 3600> = { "1m": 60, "1h": 3600 };
const batchSize = 5_000;

class UsageError extends Error {}

function parseCommand(argv: string[]) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { pair: { type: "string" }, interval: { type: "string" }, replace: { type: "boolean" } },
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError("pass one file");
  const pair = marketPair.safeParse(values.pair ?? "");
  if (!pair.success) throw new UsageError(`--pair ${pair.error.issues[0]!.message}`);
  const interval = intervals[values.interval ?? ""];
  if (interval === undefined) throw new UsageError("--interval must be 1h or 1m");
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) throw new UsageError("DATABASE_URL is not set");
  return { file, pair: pair.data, interval, replace: values.replace === true, connectionString };
}

/** Imports a file in one transaction. */
async function importFile({ file, pair, interval, replace, connectionString }: ReturnType<typeof parseCommand>) {
  return await withCommandPool(connectionString, (pool) =>
    withTransaction(pool, async (client) => {
      const id = await openImportedMarket(client, pair);
      const total = { lines: 0, added: 0, revised: 0 };
      let batch: { line: number; bar: Bar }[] = [];
      const flush = async () => {
        const { added, revised } = await storeImported(client, { id, interval, replace }, batch);
        total.lines += batch.length;
        total.added += added;
        total.revised += revised;
        batch = [];
        process.stderr.write(`${total.lines} read\n`);
      };
      const nowSeconds = Math.floor(systemClock.now() / 1000);
      for await (const entry of readCsvBars(createReadStream(file), { interval, nowSeconds })) {
        batch.push(entry);
        if (batch.length === batchSize) await flush();
      }
      if (batch.length > 0) await flush();
      return total;
    }),
  );
}

try {
  const { lines, added, revised } = await importFile(parseCommand(process.argv.slice(2)));
  process.stdout.write(`${lines} read: ${added} new, ${revised} replaced, ${lines - added - revised} unchanged\n`);
} catch (error) {
  const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  const isRefused = error instanceof CsvFault || error instanceof ImportRefused;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${isRefused ? "Nothing was imported. " : ""}${message}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}
