import { alertMetrics } from "@slipway/protocol/alerts";
import { describe, expect, it } from "vitest";
import { isEmail, metricNames, metrics, toRuleValue, toShownValue } from "./alertRule.ts";
import { takeTicket } from "./ticket.ts";

describe("values of an alert rule", () => {
  it("convert between API values and form units", () => {
    expect(toRuleValue("var_95", "3,1")).toBe(0.031);
    expect([toRuleValue("var_95", "3.1"), toRuleValue("drawdown", "20"), toRuleValue("risk_score", "80")]).toEqual([
      ...[0.031, -0.2, 80],
    ]);
    expect([toShownValue("var_95", 0.031), toShownValue("drawdown", -0.2), toShownValue("regime", "calm")]).toEqual([
      ...["3.1", "20", "calm"],
    ]);
    expect(Object.is(toRuleValue("drawdown", "0"), 0)).toBe(true);
  });

  it("have the ranges and names of the API", () => {
    expect(metricNames).toEqual(Object.keys(alertMetrics));
    for (const name of metricNames) {
      const [shown, own] = [metrics[name], alertMetrics[name]];
      if (shown.kind === "name") expect(own).toEqual({ names: shown.names });
      else {
        const ends = [shown.min * shown.factor, shown.max * shown.factor].map((end) => end + 0).sort((a, b) => a - b);
        expect([name, own]).toEqual([name, { min: ends[0], max: ends[1] }]);
      }
    }
  });

  it.each(["", "-1", "101", "1e2", "3,1,2", "NaN", "Infinity", "0x1"])("are refused for %j", (text) => {
    expect(toRuleValue("var_99", text)).toBeNull();
  });

  it("accepts possible email addresses", () => {
    expect(["ada@example.com", "ada@example", "a b@example.com", "@example.com"].map(isEmail)).toEqual([
      ...[true, false, false, false],
    ]);
  });
});

describe("the ticket of a mail link", () => {
  it("C10-51 is read from the fragment, which may contain nothing else", () => {
    expect(takeTicket("#AbC-_9")).toBe("AbC-_9");
    for (const hash of ["", "#", "#../account", "#<img src=x>", `#${"a".repeat(129)}`, "#a?b", "#a/b", "#a%2Fb"]) {
      expect(takeTicket(hash)).toBeNull();
    }
  });
});
