import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { candleInterval } from "@slipway/protocol/indexed";
import { type LiveMessage, streamEvents } from "@slipway/sdk/streamEvents";
import { type Command, Option } from "commander";
import { UsageError } from "../cliError.ts";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress, parseInteger } from "../parseArguments.ts";

/** Adds `watch`. */
export function addWatchCommand(program: Command, { output, getBaseUrl }: Context): void {
  program
    .command("watch")
    .description("print launches, trades and candles as they happen")
    .option("--token <address>", "only this token", parseAddress)
    .addOption(new Option("--interval <length>", "the length of candles").choices(candleInterval.options).default("1m"))
    .option("--cursor <file>", "continue after the last printed message, which this file remembers")
    .option("--limit <count>", "end after this number of messages", parseInteger(1, 1_000_000))
    .action(async ({ token, interval, cursor: path, limit = Number.POSITIVE_INFINITY }) => {
      const stop = new AbortController();
      const abort = () => stop.abort();
      process.once("SIGINT", abort).once("SIGTERM", abort);
      const cursor = readCursor(path);
      const onCursor = (position: string) => writeCursor(path, position);
      try {
        let count = 0;
        const messages = streamEvents({
          baseUrl: getBaseUrl(),
          interval,
          ...(token && { token }),
          ...(cursor && { cursor }),
          signal: stop.signal,
          onCursor,
          onRetry: ({ delayMs }) => output.note(`the connection ended, next attempt in ${Math.round(delayMs)} ms`),
        });
        for await (const message of messages) {
          output.line(message, [message.type, ...describeMessage(message)]);
          // Written after the message: a killed process prints its last message again and misses none.
          onCursor(message.cursor);
          if (++count >= limit) break;
        }
      } finally {
        process.off("SIGINT", abort).off("SIGTERM", abort);
      }
    });
}

/** Returns the cells of a message for people. */
export function describeMessage(message: LiveMessage): (string | number | null)[] {
  switch (message.type) {
    case "launch": {
      const { symbol, name, address } = message.data;
      return [symbol, name, address];
    }
    case "trade": {
      const { side, token_amount, quote_amount, account } = message.data.trade;
      return [message.data.token, side, formatAmount(token_amount), "for", formatAmount(quote_amount), account];
    }
    case "candle": {
      const { t, o, h, l, c } = message.data.candle;
      return [message.data.token, message.data.interval, t, o, h, l, c];
    }
    case "retracted":
      return ["above block", message.data.above_block, ...message.data.launches, ...message.data.trades];
    case "snapshot":
      return [message.data.reason];
    default:
      return [];
  }
}

/** @throws UsageError if the file contains no cursor. */
function readCursor(path: string | undefined): string | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8").trim();
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${path} contains no cursor of this command.`);
  return text;
}

function writeCursor(path: string | undefined, cursor: string): void {
  if (path === undefined) return;
  writeFileSync(`${path}.partial`, `${cursor}\n`);
  renameSync(`${path}.partial`, path);
}
