import { alertSubject } from "@slipway/protocol/webhooks";
import { describe, expect, it } from "vitest";
import { eventKinds, toSubject } from "./eventSubject.ts";

const address = "0x00000000000000000000000000000000000000Aa";

describe("the subject of an alert of events", () => {
  it.each(eventKinds)("%s is one that the API accepts", (kind) => {
    const made = toSubject(kind, address, "0.5");
    expect(alertSubject.safeParse("subject" in made ? made.subject : null).success).toBe(true);
  });

  it("has only what was typed", () => {
    expect(toSubject("trades", ` ${address} `, "")).toEqual({ subject: { kind: "trades", token: address } });
    expect(toSubject("launches", "", "")).toEqual({ subject: { kind: "launches" } });
    expect(toSubject("large_trades", "", "0.5")).toEqual({
      subject: { kind: "large_trades", min_quote_amount: "500000000000000000" },
    });
  });

  it.each([
    ["trades", "", "", ["address"]],
    ["trades", "0x12", "x", ["address", "size"]],
    ["fees", `0x${"0".repeat(40)}`, "", ["address"]],
    ["launches", "0x12", "", ["address"]],
    ["large_trades", "", "", ["size"]],
    ["large_trades", "", "0", ["size"]],
  ] as const)("of %s refuses %j and %j", (kind, typed, size, faults) => {
    expect(toSubject(kind, typed, size)).toEqual({ faults });
  });
});
