import { type ReferenceTrade, sum } from "./referenceCostBasis.ts";
import type { Tables, Value } from "./tables.ts";

type Pool = {
  isToken0: boolean;
  sqrtPriceX96: bigint;
  feeBps: bigint;
  locked: { liquidity: bigint; from: number; to: number };
};

/** A token whose holders are counted at the end of each block. `held`: the holders of the last block. */
type HeldToken = { address: string; pool: string; locker: string; balances: Map<string, bigint>; held: Set<string> };

/** Counts the accounts that began and ceased to hold a token in a block. */
export function noteHolders(tables: Tables, token: HeldToken, time: number, burnAddresses: ReadonlySet<string>): void {
  const others = new Set([...burnAddresses, token.pool, token.locker]);
  const holders = [...token.balances].filter(([account, balance]) => balance !== 0n && !others.has(account));
  const now = new Set(holders.map(([account]) => account));
  const came = now.difference(token.held).size;
  const gone = token.held.difference(now).size;
  token.held = now;
  if (came + gone === 0) return;
  const key = `${token.address}:${Math.floor(time / 60) * 60}`;
  const before = (tables.holder_minutes.get(key) ?? { came: 0, gone: 0 }) as { came: number; gone: number };
  tables.holder_minutes.set(key, { came: before.came + came, gone: before.gone + gone });
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low;
  return value > high ? high : value;
}

/**
 * Returns the amount that a position pays for tokens (whitepaper, 6.2.3). The pool stores the price after the trade rounded towards the price
 * before, and pays by that price.
 */
export function payOut(pool: Pool, amount: bigint, sqrtAtTick: (tick: number) => bigint): bigint {
  const { liquidity, from, to } = pool.locked;
  if (liquidity === 0n) return 0n;
  const [a, b] = [sqrtAtTick(from), sqrtAtTick(to)];
  const at = clamp(pool.sqrtPriceX96, a, b);
  const paid = (amount * (10_000n - pool.feeBps)) / 10_000n;
  const reserve = liquidity * 2n ** 96n;
  if (!pool.isToken0) {
    const next = clamp(at + (paid * 2n ** 96n) / liquidity, a, b);
    // Native is token0, of which the position has L / sqrt(p).
    return (reserve * next - reserve * at) / (at * next);
  }
  const exact = reserve * at;
  const tokens = reserve + paid * at;
  const next = clamp(exact % tokens === 0n ? exact / tokens : exact / tokens + 1n, a, b);
  return (liquidity * at - liquidity * next) / 2n ** 96n;
}

/** Adds what the pool pays for the tokens that each account has bought and not sold. */
export function addPositions(
  tables: Tables,
  token: Pool & { address: string },
  accounts: Iterable<string>,
  sqrtAtTick: (tick: number) => bigint,
): void {
  for (const account of accounts) {
    const basis = tables.cost_bases.get(`${token.address}:${account}`)!;
    const held = basis.held as bigint;
    if (held > 0n) tables.positions.set(`${token.address}:${account}`, { v: payOut(token, held, sqrtAtTick) });
  }
}

/** Adds candles of further intervals with their counts, of one token. */
export function addListedCandles(
  tables: Tables,
  token: { address: string; startPrice: number; launchTime: number; trades: readonly ReferenceTrade[] },
): void {
  const monday = 4 * 86_400;
  const add = (name: string, trades: readonly ReferenceTrade[], toStart: (time: number) => number) => {
    let close = token.startPrice;
    for (const [t, own] of Map.groupBy(trades, ({ time }) => toStart(time))) {
      const prices = [close, ...own.map(({ price }) => price)];
      close = prices.at(-1)!;
      tables.listed.set(`${token.address}:${name}:${t}`, {
        eth: [prices[0]!, Math.max(...prices), Math.min(...prices), close],
        n: own.length,
        buys: own.filter(({ isBuy }) => isBuy).length,
        traders: new Set(own.map(({ account }) => account)).size,
      } satisfies Value);
    }
  };
  add("15m", token.trades, (time) => Math.floor(time / 900) * 900);
  add("12h", token.trades, (time) => Math.floor(time / 43_200) * 43_200);
  add("1w", token.trades, (time) => Math.floor((time - monday) / 604_800) * 604_800 + monday);
  const first = token.trades.filter(({ time }) => time < token.launchTime + 86_400);
  add("1s", first, (time) => time);
}

/** Sums of the minutes: each minute, each day with its different traders, and all. */
export function finishTotals(tables: Tables, minutes: Map<number, { launches: number; trades: any[] }>): void {
  const add = (table: Tables["totals"], key: string, launches: number, trades: any[], more = {}) => {
    const fees = sum(trades.map((trade) => trade.fee));
    const protocol = sum(trades.map((trade) => trade.protocol));
    table.set(key, {
      ...more,
      launches,
      trades: trades.length,
      volume_quote: trades.reduce((a, trade) => a + trade.quote, 0n),
      volume_usd: sum(trades.map((trade) => trade.usd)),
      fees,
      protocol,
      collaborators: fees === null || protocol === null ? null : fees - protocol,
    });
  };
  const all = [...minutes.values()];
  for (const [t, minute] of minutes) add(tables.totals, String(t), minute.launches, minute.trades);
  for (const [t, own] of Map.groupBy(minutes, ([time]) => Math.floor(time / 86400) * 86400)) {
    const trades = own.flatMap(([, minute]) => minute.trades);
    const traders = new Set(trades.map(({ account }) => account)).size;
    const launches = own.reduce((sum, [, minute]) => sum + minute.launches, 0);
    add(tables.days, String(t), launches, trades, { traders });
  }
  if (all.length > 0) {
    add(
      tables.totals,
      "all",
      all.reduce((a, minute) => a + minute.launches, 0),
      all.flatMap((minute) => minute.trades),
    );
  }
}
