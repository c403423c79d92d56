import { type IndexedCandle, listedInterval, sortDirection, tokenSort } from "@slipway/protocol/indexed";
import { type Command, Option } from "commander";
import { UsageError } from "../cliError.ts";
import type { Context } from "../context.ts";
import type { Column } from "../output.ts";
import { formatAmount, parseAddress, parseInteger } from "../parseArguments.ts";

const toTime = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** The columns of candles: the same in a table and in CSV. */
const candleColumns: readonly Column<IndexedCandle>[] = [
  ["time", ({ t }) => toTime(t)],
  ["open", ({ o }) => o],
  ["high", ({ h }) => h],
  ["low", ({ l }) => l],
  ["close", ({ c }) => c],
  ["volume_usd", ({ v }) => v],
  ["volume_quote", ({ vq }) => vq],
  ["trades", ({ n }) => n],
];

/** Formats candles as CSV (RFC 4180): times in Unix seconds, numbers with all digits, an unknown volume is empty. */
export function formatCandlesCsv(candles: readonly IndexedCandle[]): string[] {
  const header = "t,open,high,low,close,volume_usd,volume_quote,trades";
  return [header, ...candles.map(({ t, o, h, l, c, v, vq, n }) => [t, o, h, l, c, v ?? "", vq, n].join(","))];
}

/** Adds `tokens`, `token`, `trades` and `candles`, which need no key. */
export function addMarketCommands(program: Command, { output, openClient }: Context): void {
  program
    .command("tokens")
    .description("list tokens")
    .addOption(new Option("--sort <order>").choices(tokenSort.options).default("volume"))
    .addOption(new Option("--direction <direction>", "smallest or largest first").choices(sortDirection.options))
    .option("--search <text>", "part of a name or symbol, or an address")
    .option("--limit <count>", "the maximum number of tokens", parseInteger(1, 300), 20)
    .action(async ({ sort, direction, search, limit }) => {
      const { items, total } = await openClient().listTokens({
        sort,
        limit,
        ...(direction && { direction }),
        ...(search && { q: search }),
      });
      output.table(items, [
        ["symbol", ({ symbol }) => symbol],
        ["name", ({ name }) => name],
        ["price_usd", ({ price_usd }) => price_usd],
        ["market_cap_usd", ({ market_cap_usd }) => market_cap_usd],
        ["volume_24h_usd", ({ volume_24h_usd }) => volume_24h_usd],
        ["change_24h_pct", ({ price_change_24h_pct }) => price_change_24h_pct],
        ["address", ({ address }) => address],
        ["warnings", ({ warnings }) => warnings.map(({ code }) => code).join(" ")],
      ]);
      output.note(`${items.length} of ${total} tokens`);
    });

  program
    .command("token")
    .description("show a token")
    .argument("<address>", "the token", parseAddress)
    .action(async (address: string) => {
      output.fields(await openClient().getToken({ address }), [
        ["name", ({ name }) => name],
        ["symbol", ({ symbol }) => symbol],
        ["address", (token) => token.address],
        ["creator", ({ creator }) => creator],
        ["launched_at", ({ launched_at }) => launched_at],
        ["price_usd", ({ price_usd }) => price_usd],
        ["price_eth", ({ price_eth }) => price_eth],
        ["market_cap_usd", ({ market_cap_usd }) => market_cap_usd],
        ["liquidity_usd", ({ liquidity_usd }) => liquidity_usd],
        ["volume_24h_usd", ({ volume_24h_usd }) => volume_24h_usd],
        ["holders", ({ holders }) => holders],
        ["pool", ({ pool }) => pool],
        ["splitter", ({ splitter }) => splitter],
        ["website", ({ website }) => website],
        ["description", ({ description }) => description],
        ["warnings", ({ warnings }) => warnings.map(({ code }) => code).join(" ")],
      ]);
    });

  program
    .command("trades")
    .description("list the trades of a token, newest first")
    .argument("<address>", "the token", parseAddress)
    .option("--limit <count>", "the maximum number of trades", parseInteger(1, 300), 50)
    .option("--before <id>", "only trades before this one")
    .option("--account <address>", "only trades of this account", parseAddress)
    .addOption(new Option("--side <side>").choices(["buy", "sell"]))
    .action(async (address: string, filters) => {
      const { items } = await openClient().listTokenTrades({ address, ...filters });
      output.table(items, [
        ["time", ({ block_timestamp }) => block_timestamp],
        ["side", ({ side }) => side],
        ["tokens", ({ token_amount }) => formatAmount(token_amount)],
        ["quote", ({ quote_amount }) => formatAmount(quote_amount)],
        ["volume_usd", ({ volume_usd }) => volume_usd],
        ["account", ({ account }) => account],
        ["id", ({ id }) => id],
      ]);
    });

  program
    .command("candles")
    .description("list the candles of a token, oldest first")
    .argument("<address>", "the token", parseAddress)
    .addOption(new Option("--interval <length>").choices(listedInterval.options).default("1h"))
    .option("--limit <count>", "the maximum number of candles", parseInteger(1, 300), 300)
    .option("--before <seconds>", "only candles before this Unix time", parseInteger(0, 999_999_999_999))
    .option("--csv", "print CSV with times in Unix seconds")
    .action(async (address: string, { csv, ...page }) => {
      if (csv && output.isJson()) throw new UsageError("Pass --csv or --json, not both.");
      const { items, quote } = await openClient().listTokenCandles({ address, ...page });
      if (csv) output.plain(formatCandlesCsv(items));
      else output.table(items, candleColumns);
      output.note(`prices in ${quote}`);
    });
}
