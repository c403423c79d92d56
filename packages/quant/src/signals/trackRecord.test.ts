import { describe, expect, it } from "vitest";
import { leastResolved, publishedConfidence, type TimedOutcome } from "./publishedConfidence.ts";
import { seededUniform } from "./seededUniform.ts";
import { judgeSignals, type ResolvedSignal } from "./trackRecord.ts";

const hour = 3_600;
const day = 86_400;
const start = 20_000 * day;

/** Signals of a market and strategy with these returns, one a day at another hour. */
function createSignals(
  returns: readonly number[],
  { market = "a", strategy = "one", confidence = null }: Partial<ResolvedSignal> = {},
): ResolvedSignal[] {
  return returns.map((value, i) => ({
    market,
    strategy,
    closedAt: start + i * day + (i % 20) * hour,
    return: value,
    cost: 0.003,
    confidence,
    resolvedAt: start + i * day + (i % 20) * hour + 5 * hour,
    price: 100 + i,
    exitPrice: 101 + i,
  }));
}

function createReturns(seed: number, { mean, size, count }: { mean: number; size: number; count: number }): number[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => mean + size * (uniform() - 0.5));
}

describe("a track record", () => {
  it("has the figures of its signals after costs", () => {
    const returns = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 0.03 : -0.01));
    const { tested, judgements } = judgeSignals(createSignals(returns, { confidence: 0.25 }));
    expect(tested).toBe(1);
    const { record, bins, resolved } = judgements[0]!;
    expect(resolved).toBe(40);
    expect(record).toMatchObject({ n: 40, hitRate: 0.25, from: start, brier: 0.1875 });
    expect(record!.meanReturn).toBeCloseTo(0, 12);
    expect(record!.profitFactor).toBeCloseTo(1, 9);
    expect(record!.cost).toBeCloseTo(0.003, 12);
    expect(record!.maxDrawdown).toBeCloseTo(-0.03, 12);
    expect(record!.marketChange).toBeCloseTo(0.4, 12);
    // Wilson's interval for 10 of 40.
    expect(record!.hitRateInterval[0]).toBeCloseTo(0.1419, 4);
    expect(record!.hitRateInterval[1]).toBeCloseTo(0.4019, 4);
    expect(record!.meanReturnInterval[0]).toBeLessThan(0);
    expect(record!.meanReturnInterval[1]).toBeGreaterThan(0);
    expect(bins).toEqual([{ from: 0.2, to: 0.3, count: 40, meanProbability: 0.25, hitRate: 0.25 }]);
  });

  it("is unknown below 30 resolved signals", () => {
    const [few] = judgeSignals(createSignals(createReturns(1, { mean: 0.05, size: 0.01, count: 29 }))).judgements;
    expect(few).toMatchObject({ resolved: 29, skill: "unproven", record: null });
    expect(judgeSignals([])).toEqual({ tested: 0, judgements: [] });
  });

  it("is the same for the same signals in any order, and when it is computed again", () => {
    const signals = createSignals(createReturns(2, { mean: 0, size: 0.04, count: 200 }));
    const reference = judgeSignals(signals);
    expect(judgeSignals(signals.toReversed())).toEqual(reference);
    expect(judgeSignals(signals)).toEqual(reference);
  });
});

describe("skill", () => {
  const noise = Array.from({ length: 12 }, (_, k) => {
    const returns = createReturns(10 + k, { mean: 0, size: 0.04, count: 300 });
    return createSignals(returns, { strategy: `noise${k}` });
  }).flat();

  it("is found for the strategy that has it, among strategies without skill", () => {
    const skilled = createSignals(createReturns(3, { mean: 0.008, size: 0.04, count: 300 }), { strategy: "skilled" });
    const { judgements } = judgeSignals([...noise, ...skilled]);
    expect(judgements.filter(({ skill }) => skill === "positive").map(({ strategy }) => strategy)).toEqual(["skilled"]);
    expect(judgements.find(({ strategy }) => strategy === "skilled")!.record!.deflatedSharpe).toBeGreaterThan(0.95);
  });

  it("is not found for the best of many strategies without skill", () => {
    const { tested, judgements } = judgeSignals(noise);
    expect(tested).toBe(12);
    expect(judgements.every(({ skill }) => skill === "none")).toBe(true);
  });

  it("is not found when costs consume the gains", () => {
    const returns = createReturns(3, { mean: 0.008, size: 0.04, count: 300 }).map((value) => value - 0.01);
    const { judgements } = judgeSignals([...noise, ...createSignals(returns, { strategy: "costly" })]);
    expect(judgements.find(({ strategy }) => strategy === "costly")!.skill).toBe("none");
  });
});

describe("a published confidence", () => {
  const toOutcome = (index: number, isHit: boolean, market = "a"): TimedOutcome => {
    const closedAt = start + index * hour;
    return { market, strategy: "one", closedAt, resolvedAt: closedAt + 10 * hour, isHit };
  };

  it("is unknown until enough signals of the strategy were resolved", () => {
    const outcomes = Array.from({ length: 60 }, (_, i) => toOutcome(i, i % 2 === 0));
    const confidence = publishedConfidence(outcomes);
    expect(confidence.findIndex((value) => value !== null)).toBe(leastResolved + 9);
    expect(confidence[leastResolved + 9]).toBe(0.5);
  });

  it("uses only signals resolved by the close of its signal", () => {
    const outcomes = Array.from({ length: 120 }, (_, i) => toOutcome(i, i % 3 === 0, i % 2 === 0 ? "a" : "b"));
    const whole = publishedConfidence(outcomes);
    for (const cut of [45, 80, 119]) {
      const now = outcomes[cut]!.closedAt;
      const known = outcomes
        .slice(0, cut + 1)
        .map((each) => (each.resolvedAt! <= now ? each : { ...each, resolvedAt: null, isHit: true }));
      expect(publishedConfidence(known).at(-1)).toBe(whole[cut]);
    }
    const reversed = publishedConfidence(outcomes.toReversed()).toReversed();
    expect(reversed).toEqual(whole);
  });

  it("of a market without signals equals the strategy's", () => {
    const outcomes = Array.from({ length: 90 }, (_, i) => toOutcome(i, i % 4 === 0));
    const first = toOutcome(200, true, "new");
    expect(publishedConfidence([...outcomes, first]).at(-1)).toBeCloseTo(23 / 90, 12);
  });
});
