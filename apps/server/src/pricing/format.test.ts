import fc from "fast-check";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { toChecksumAddress } from "./format.ts";

/** Source: EIP-55, test cases. */
const published = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

test.each(published)("formats %s as EIP-55 does", (address) => {
  expect(toChecksumAddress(address.toLowerCase())).toBe(address);
});

test("formats any address as viem does, also repeatedly", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = `0x${Buffer.from(bytes).toString("hex")}` as const;
      expect(toChecksumAddress(address)).toBe(getAddress(address));
      expect(toChecksumAddress(address)).toBe(getAddress(address));
    }),
    { numRuns: 500 },
  );
});
