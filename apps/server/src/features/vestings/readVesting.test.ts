import { computeVested } from "@slipway/protocol/vesting";
import { expect, test } from "vitest";
import { getLockedShare } from "./readVesting.ts";

const supply = 10n ** 27n;
const bought = supply / 20n;
/** Began long ago, so that nine tenths are vested at once. */
const terms = { cliff: 0, end: 2_000_000_000, time: 1_800_000_000n };

test("the locked share is the part that is not vested", () => {
  const shareAt = (time: bigint) => getLockedShare({ ...terms, received: bought, time }, supply);
  expect([shareAt(0n), shareAt(terms.time), shareAt(2_000_000_000n)]).toEqual([0.05, 0.005, 0]);
});

test("C8-45 released tokens that are sent back do not let a few tokens look like most of the supply", () => {
  let received = bought;
  for (let i = 0; i < 50; i++) {
    const released = received - bought;
    // The beneficiary releases and sends everything back, so that the balance is the bought amount again.
    received += computeVested(received, terms, terms.time) - released;
  }
  expect(received).toBeGreaterThan((2n * supply) / 5n);
  expect(getLockedShare({ ...terms, received }, supply)).toBeLessThanOrEqual(0.05);
});
