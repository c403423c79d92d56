import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAddressChecksum } from "./addressChecksum.ts";

const vitalik = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** The examples of EIP-55. */
const examples = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  vitalik,
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

const address = fc
  .array(fc.integer({ min: 0, max: 15 }), { minLength: 40, maxLength: 40 })
  .map((digits) => `0x${digits.map((digit) => digit.toString(16)).join("")}`);

describe("checkAddressChecksum", () => {
  it.each(examples)("accepts %s", (example) => {
    expect(checkAddressChecksum(example)).toEqual({ status: "valid" });
  });

  it.each([vitalik.toLowerCase(), `0x${vitalik.slice(2).toUpperCase()}`])("finds no checksum in %s", (single) => {
    expect(checkAddressChecksum(single)).toEqual({ status: "absent" });
  });

  it("accepts an address without letters", () => {
    expect(checkAddressChecksum(`0x${"1".repeat(40)}`)).toEqual({ status: "valid" });
  });

  it.each([
    ["one letter in the other case", vitalik.replace("A", "a")],
    ["a mistyped digit", vitalik.replace("6053", "6054")],
  ])("rejects %s and returns the same bytes with the correct checksum", (_, wrong) => {
    const result = checkAddressChecksum(wrong);
    expect(result.status).toBe("wrong");
    if (result.status !== "wrong") return;
    expect(result.checksummed.toLowerCase()).toBe(wrong.toLowerCase());
    expect(checkAddressChecksum(result.checksummed)).toEqual({ status: "valid" });
  });

  it("throws for a text that is not an address", () => {
    expect(() => checkAddressChecksum("0x12")).toThrow();
  });

  it("reports every change of case in a mixed-case address as wrong", () => {
    fc.assert(
      fc.property(address, fc.nat({ max: 39 }), (lower, at) => {
        const first = checkAddressChecksum(lower);
        const digit = lower[at + 2]!;
        const changed = lower.slice(0, at + 2) + digit.toUpperCase() + lower.slice(at + 3);
        const second = checkAddressChecksum(changed);
        expect(first.status).not.toBe("wrong");
        if (second.status === "wrong") expect(checkAddressChecksum(second.checksummed).status).toBe("valid");
        if (digit.toUpperCase() === digit) expect(second).toEqual(first);
      }),
    );
  });
});
