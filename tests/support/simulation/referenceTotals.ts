import { sum } from "./referenceCostBasis.ts";
import type { Tables } from "./tables.ts";

const day = 86400;

/** Computes the totals of minutes, of days and of the whole index. */
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
  for (const [t, own] of Map.groupBy(minutes, ([time]) => Math.floor(time / day) * day)) {
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
