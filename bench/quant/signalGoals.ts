import { calibrationError } from "@slipway/quant/signals/calibrationError";
import { publishedConfidence } from "@slipway/quant/signals/publishedConfidence";
import { seededUniform } from "@slipway/quant/signals/seededUniform";
import { judgeSignals, type ResolvedSignal } from "@slipway/quant/signals/trackRecord";
import { evaluateBars, getWindowStart, hour } from "@slipway/server/features/signals/evaluateBars";
import { resolveSignal } from "@slipway/server/features/signals/resolveSignal";
import { getSignalCost } from "@slipway/server/features/signals/signalCosts";
import { allStrategies } from "@slipway/server/features/signals/strategies/allStrategies";
import type { HourBar } from "@slipway/server/features/signals/strategies/strategy";
import { toStoredRecords } from "@slipway/server/features/signals/toRecord";
import { recomputeRecords } from "../../tests/support/signals/recomputeRecords.ts";
import type { Goal } from "./goals.ts";
import type { Bars } from "./readData.ts";

type Market = { id: number; pair: string; bars: HourBar[] };

const truncations = 10_000;

const toMarkets = (all: readonly Bars[]): Market[] =>
  all.map(({ pair, time, open, high, low, close }, index) => ({
    id: index + 1,
    pair,
    bars: time.map((at, i) => ({ time: at, open: open[i]!, high: high[i]!, low: low[i]!, close: close[i]! })),
  }));

const findBar = (bars: readonly HourBar[], time: number): number => {
  const index = bars.findIndex((bar) => bar.time >= time);
  return index < 0 ? bars.length : index;
};

/** Returns the resolved signals of a market, as the service stores them. */
function resolveMarket({ id, bars }: Market): ResolvedSignal[] {
  const emitted = evaluateBars(bars);
  const lastClose = bars.at(-1)!.time + hour;
  let from = 0;
  return emitted.flatMap((signal) => {
    const costs = getSignalCost({ source: "import" }, signal, undefined)!;
    while (from < bars.length && bars[from]!.time < signal.closedAt) from++;
    const end = resolveSignal({ ...signal, cost: costs.cost }, bars.slice(from, from + 25), lastClose);
    if (end === null) return [];
    const { strategy, version, closedAt, price } = signal;
    return [
      {
        market: String(id),
        strategy: `${strategy}@${version}`,
        closedAt,
        resolvedAt: end.resolvedAt,
        price,
        exitPrice: end.exitPrice,
        return: end.return,
        cost: costs.cost,
        confidence: null,
      },
    ];
  });
}

/** Counts readings of a bar, of 10,000, whose signals change if the series ends with that bar (look-ahead). */
function countLookAhead(markets: readonly Market[]): { changed: number; emitted: number } {
  const uniform = seededUniform(1);
  const whole = new Map(
    markets.map(({ id, bars }) => [id, Map.groupBy(evaluateBars(bars), ({ closedAt }) => closedAt)]),
  );
  let [changed, emitted] = [0, 0];
  for (let k = 0; k < truncations; k++) {
    const { id, bars } = markets[k % markets.length]!;
    const strategy = allStrategies[k % allStrategies.length]!;
    const of = (signals: readonly { strategy: string }[]) => signals.filter((each) => each.strategy === strategy.name);
    const at = 1 + Math.floor(uniform() * (bars.length - 1));
    const { time } = bars[at]!;
    const prefix = bars.slice(findBar(bars, getWindowStart(time)), at + 1);
    const expected = of(whole.get(id)!.get(time + hour) ?? []);
    if (expected.length > 0) emitted++;
    if (JSON.stringify(evaluateBars(prefix, time, [strategy])) !== JSON.stringify(expected)) changed++;
  }
  return { changed, emitted };
}

export function scoreSignals(all: readonly Bars[]): Goal[] {
  const markets = toMarkets(all);
  const signals = markets.flatMap(resolveMarket).sort((a, b) => a.closedAt - b.closedAt);
  const confidence = publishedConfidence(signals.map((each) => ({ ...each, isHit: each.return > 0 })));
  const published = signals.map((each, index) => ({ ...each, confidence: confidence[index]! }));
  const outcomes = published.flatMap((each) =>
    each.confidence === null ? [] : [{ probability: each.confidence, isHit: each.return > 0 }],
  );
  const judged = judgeSignals(published);
  const rows = markets.map(({ id, pair }) => ({ market_id: id, pair }));
  const records = toStoredRecords(judged, rows, 0)
    .map(({ pair, strategy, resolved, skill, track_record }) => ({ pair, strategy, resolved, skill, track_record }))
    .sort((a, b) => (a.pair + a.strategy < b.pair + b.strategy ? -1 : 1));
  const again = recomputeRecords(markets.map(({ id, pair, bars }) => ({ key: String(id), pair, bars })));
  const differing = records.filter((record, i) => JSON.stringify(record) !== JSON.stringify(again[i])).length;
  const { changed, emitted } = countLookAhead(markets);
  const known = judged.judgements.filter(({ record }) => record !== null);
  const best = known.reduce((a, b) => (b.record!.deflatedSharpe > a.record!.deflatedSharpe ? b : a));
  return [
    { name: "readings that change when the bars end with them, of 10,000", value: changed, high: 0 },
    { name: "signals among those readings", value: emitted, low: 1 },
    { name: "resolved signals", value: signals.length, low: 1_000 },
    {
      name: "records that differ when computed again by other code",
      value: differing + Math.abs(records.length - again.length),
      high: 0,
    },
    { name: "published frequencies", value: outcomes.length },
    { name: "calibration error, 10 bins", value: calibrationError(outcomes), high: 0.03 },
    { name: "combinations of strategy and market", value: judged.tested },
    { name: "combinations with skill after costs", value: known.filter(({ skill }) => skill === "positive").length },
    {
      name: "mean return of all, bp after costs",
      value: (1e4 * published.reduce((s, e) => s + e.return, 0)) / published.length,
    },
    { name: "best deflated Sharpe", value: best.record!.deflatedSharpe },
    { name: "mean return of that one, bp after costs", value: 1e4 * best.record!.meanReturn },
  ];
}
