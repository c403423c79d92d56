import { describe, expect, test } from "vitest";
import { ConfigError, parseConfig } from "./config.ts";

const minimum = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://localhost:8545" };
const parse = (text: string) => parseConfig({ ...minimum, MARKETS: text }).MARKETS;
const getMessage = (text: string) => {
  try {
    parse(text);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
};

describe("MARKETS", () => {
  test("lists pairs with their exchange and the exchange's symbol", () => {
    expect(parse("BTC_USDT=binance:BTC/USDT, PERP_USDC=kraken:PERP/USDC:USDC")).toEqual([
      { pair: "BTC_USDT", exchange: "binance", symbol: "BTC/USDT" },
      { pair: "PERP_USDC", exchange: "kraken", symbol: "PERP/USDC:USDC" },
    ]);
    expect(parse("")).toEqual([]);
  });

  test.each([
    "BTC_USDT",
    "btc_usdt=binance:BTC/USDT",
    "BTC_USDT=binance",
    "BTC_USDT=:BTC/USDT",
    "BTC=binance:BTC",
    "A_B=x:y z",
  ])("refuses %s, and names the entry and the required form", (entry) => {
    const message = getMessage(`ETH_USDT=binance:ETH/USDT,${entry}`);
    expect(message).toContain("MARKETS: entry 2 must be PAIR=exchange:SYMBOL, such as BTC_USDT=binance:BTC/USDT");
  });

  test("refuses the name of a launch's market, and a pair that is listed twice", () => {
    expect(getMessage("T0123456789_WETH=binance:X/WETH")).toContain("entry 1 has the name of a launch token's market");
    expect(getMessage("BTC_USDT=binance:BTC/USDT,BTC_USDT=kraken:BTC/USDT")).toContain("names a pair twice");
  });
});
