import { candleLengths, windowStart } from "@slipway/protocol/candle";
import type pg from "pg";
import { type Copy, copyRows, startCopy } from "./seedCopy.ts";
import {
  type Candle,
  hex,
  ids,
  newToken,
  noteCandles,
  noteTrade,
  type SeedOptions,
  type Sum,
  secondsPerEthUsd,
  seededWallet,
  startEthUsd,
  startPrice,
  type Token,
  wei,
} from "./seedModel.ts";
import { seedRandom } from "./seedRandom.ts";
import { insertFrame, insertSums, insertTokens } from "./seedTables.ts";
import { dropIndexes } from "./seedWithoutIndexes.ts";

/** The tables with the most rows; nothing refers to their keys while they are filled. */
const large = ["accounts", "tokens", "splitters", "splitter_payees", "splitter_events", "token_state", "candles"];

/** The maximum number of wallets that trade a token. */
const walletsPerToken = 200;

const word = (random: () => number) => hex(Math.floor(random() * 2 ** 32), 4);

/**
 * Fills an empty migrated database with the index that the indexer would have written: launches, trades in block order
 * (few tokens have most trades), candles, traders, balances, sums, state. Equal options create equal rows.
 */
export async function seedIndex(pool: pg.Pool, options: SeedOptions): Promise<void> {
  const { headTime, days = 30 } = options;
  const random = seedRandom(options.seed ?? 1);
  const begin = headTime - days * 86_400;
  const accounts = Math.max(1_000, options.tokens * 10);
  const state = {
    tokens: Array.from({ length: options.tokens }, newToken),
    minutes: new Map<number, Sum>(),
    lastSeen: new Float64Array(accounts + 1),
    ethUsd: ethUsdWalk(random, days),
    begin,
    window: windowStart(headTime),
  };
  const restoreIndexes = await dropIndexes(
    pool,
    large.map((table) => `chain.${table}`),
  );
  await insertFrame(pool, options, begin);
  const accountRow = (id: number) => [id, `\\\\x${seededWallet(id).slice(2)}`] as const;
  await copyRows(pool, "chain.accounts", ["id", "address"], ids(accounts, accountRow));
  await insertTokens(pool, options, begin);
  await copyTrades(pool, options, state, random);
  await insertSums(pool, options, state);
  await restoreIndexes();
  await vacuum(pool);
}

/** Waits until the commit is in the log: only then does a vacuum mark the rows as visible to all. */
async function vacuum(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set synchronous_commit = on");
    await client.query("update chain.status set updated_at = now()");
    await client.query("vacuum analyze");
  } finally {
    client.release(true);
  }
}

function ethUsdWalk(random: () => number, days: number): number[] {
  const prices = [startEthUsd];
  const count = (days * 86_400) / secondsPerEthUsd + 1;
  while (prices.length < count) prices.push(prices.at(-1)! * (1 + (random() - 0.5) * 0.001));
  return prices;
}

type SeedState = {
  tokens: Token[];
  minutes: Map<number, Sum>;
  lastSeen: Float64Array;
  ethUsd: number[];
  begin: number;
  window: number;
};

async function copyTrades(pool: pg.Pool, options: SeedOptions, state: SeedState, random: () => number): Promise<void> {
  const { tokens, ethUsd, begin, window } = state;
  const candles = await startCopy(pool, "chain.candles", [
    ...["token_id", "seconds", "t", "o", "h", "l", "c", "o_usd", "h_usd", "l_usd", "c_usd", "n", "buys", "vq", "v"],
  ]);
  const trades = await startCopy(pool, "chain.trades", [
    ...["token_id", "log_index", "block_number", "block_time", "pool_price", "eth_usd", "maker_id", "recipient_id"],
    ...["is_buy", "tx_hash", "token_amount", "quote_amount", "account_id", "account_source"],
  ]);
  const step = (options.headTime - begin) / options.trades;
  for (let n = 0; n < options.trades; n++) {
    const time = Math.floor(begin + n * step);
    const index = Math.floor(tokens.length * random() ** 3);
    const token = tokens[index]!;
    const usd = ethUsd[Math.floor((time - begin) / secondsPerEthUsd)]!;
    const isBuy = random() < 0.55;
    const { price: before, priceUsd: beforeUsd } = token;
    token.price = Math.min(1, Math.max(startPrice, before * (1 + (isBuy ? 0.02 : -0.02) * random())));
    token.priceUsd = token.price * usd;
    const quote = 0.001 + random() * random() * 2;
    const spread = Math.floor(random() ** 2 * walletsPerToken) * 104_729;
    const wallet = 1 + ((index * 7919 + spread) % (state.lastSeen.length - 1));
    const seen = { time, block: tokens.length + 1 + n, window, isBuy, quote, usd, before, beforeUsd, wallet };
    state.lastSeen[wallet] = time;
    noteTrade(token, state.minutes, seen);
    for (const { seconds, candle } of noteCandles(token, seen)) await addCandle(candles, index + 1, seconds, candle);

    const hash = word(random) + word(random) + hex(n, 8) + word(random) + word(random) + word(random) + word(random);
    const full = trades.add(
      [
        ...[index + 1, n % 40, seen.block, time, token.price, usd, wallet, wallet, isBuy ? "t" : "f"],
        ...[`\\\\x${hash}`, wei(quote / token.price), wei(quote), wallet, "transfers"],
      ].join("\t"),
    );
    if (full) await full;
    if (n % 500_000 === 0) options.progress?.(n);
  }
  await trades.end();
  for (const [index, token] of tokens.entries()) {
    for (const [i, candle] of token.candles.entries()) {
      if (candle) await addCandle(candles, index + 1, candleLengths[i]!, candle);
    }
  }
  await candles.end();
}

function addCandle(copy: Copy, token: number, seconds: number, candle: Candle): void | Promise<void> {
  const { t, o, h, l, c, usd, n, buys, vq, v } = candle;
  return copy.add([token, seconds, t, o, h, l, c, usd.o, usd.h, usd.l, usd.c, n, buys, vq, v].join("\t"));
}
