import { z } from "zod";
import { integer, list, url } from "./settingTypes.ts";

/** A market of an exchange in the setting MARKETS. */
export type ListedMarket = { pair: string; exchange: string; symbol: string };

/** The names of launch tokens' markets, which are reserved. */
const launchPair = /^T[0-9A-F]{10}([0-9A-F]{30})?_WETH$/;

const form = "must be PAIR=exchange:SYMBOL, such as BTC_USDT=binance:BTC/USDT, with the exchange's id in ccxt";

const entry = z.string().superRefine((text, context) => {
  const [, pair] = /^([A-Z0-9]{1,41}_[A-Z0-9]{2,12})=[a-z0-9]{2,40}:[\x21-\x2b\x2d-\x7e]{3,60}$/.exec(text) ?? [];
  if (pair === undefined) context.addIssue(form);
  else if (launchPair.test(pair)) context.addIssue("has the name of a launch token's market; choose another pair");
});

function parseMarket(text: string): ListedMarket {
  const [pair, source] = text.split(/=(.*)/s) as [string, string];
  const [exchange, symbol] = source.split(/:(.*)/s) as [string, string];
  return { pair, exchange, symbol };
}

const getPair = (text: string) => text.split("=")[0];

/** Settings of markets. `docs/operations.md` explains them. */
export const marketSettings = {
  /** The markets of exchanges, separated by commas. */
  MARKETS: list(entry)
    .refine((markets) => new Set(markets.map(getPair)).size === markets.length, "names a pair twice; name each once")
    .transform((markets) => markets.map(parseMarket))
    .default([]),
  /** The base URL of a proxy of the exchanges' APIs; tests and the local stack use it. */
  MARKETS_EXCHANGE_URL: url(["http:", "https:"]).optional(),
  /** How many days of past bars are requested for a new market. */
  MARKET_HISTORY_DAYS: integer(1, 3_650).default(730),
  /** The interval between two searches for due bars. */
  MARKETS_POLL_MS: integer(10, 60_000).default(2_000),
};
