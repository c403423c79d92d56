import { type AlertRule, alertMetrics } from "@slipway/protocol/alerts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AlertState, judgeReading } from "./judgeReading.ts";

const judgeAll = (rule: AlertRule, values: readonly (number | string)[]) => {
  let state: AlertState = "new";
  return values.map((value) => {
    const judged = judgeReading(state, rule, value, true);
    state = judged.state;
    return `${value} ${state}${judged.fires ? "!" : ""}`;
  });
};

describe("judging a reading", () => {
  test("a lower threshold works the same way", () => {
    const rule: AlertRule = { metric: "drawdown", op: "below", value: -0.2 };
    expect(judgeAll(rule, [-0.1, -0.21, -0.195, -0.189, -0.3])).toEqual([
      "-0.1 armed",
      "-0.21 fired!",
      "-0.195 fired",
      "-0.189 armed",
      "-0.3 fired!",
    ]);
  });

  test("a threshold close to the end of its metric's range can be armed again", () => {
    const rule: AlertRule = { metric: "risk_score", op: "below", value: 98 };
    expect(judgeAll(rule, [100, 90, 98.5, 99.5, 90])).toEqual([
      "100 armed",
      "90 fired!",
      "98.5 fired",
      "99.5 armed",
      "90 fired!",
    ]);
  });

  test("between two mails there is always a value on the other side", () => {
    const names = ["var_95", "risk_score", "drawdown", "volatility_percentile"] as const;
    fc.assert(
      fc.property(
        ...[fc.constantFrom(...names), fc.constantFrom("above" as const, "below" as const)],
        ...[fc.double({ min: 0, max: 1, noNaN: true }), fc.array(fc.double({ min: 0, max: 1, noNaN: true }))],
        (metric, op, at, sequence) => {
          const { min, max } = alertMetrics[metric];
          const scale = (part: number) => min + part * (max - min);
          const rule = { metric, op, value: scale(at) };
          let [state, wasBack]: [AlertState, boolean] = ["new", false];
          for (const value of sequence.map(scale)) {
            const judged = judgeReading(state, rule, value, true);
            const isBeyond = op === "above" ? value > rule.value : value < rule.value;
            if (judged.fires && !(wasBack && isBeyond)) return false;
            wasBack = judged.fires ? false : wasBack || !isBeyond;
            state = judged.state;
          }
          return true;
        },
      ),
    );
  });
});
