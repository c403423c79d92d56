import { toFunctionSelector } from "viem";
import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import { createClaimFlow, createPayoutFlow } from "./claimFlow.ts";

/** `setPayout(address)`. */
const payoutSelector = toFunctionSelector("setPayout(address)").slice(2);
const token = `0x${"aa".repeat(20)}`;
const step = { chainId: "0xb626", from: account, to: token, data: "0x12345678", value: "0x0", gas: "0x1" };

function prepareClaim(answer: object) {
  const full = { status: "ready", transaction: null, calls: [], manifest: { chain_id: 46630 }, ...answer };
  const flow = createClaimFlow({
    api: { prepareClaimCalls: vi.fn(async () => full) } as never,
    timing: createVirtualTiming(),
    getSender: () => ({ provider: createFakeProvider(), address: account, chain: { id: 46630 } }) as never,
    batches: { areRefused: () => true, refuse: () => {} },
    claim: { wallet: account, tokens: [token], unwrap: true, stages: "all" },
  });
  return flow.prepare(new AbortController().signal);
}
const [splitter, payout, other] = ["5b", "33", "ee"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const setPayout = (to: string) => `0x${payoutSelector}${to.slice(2).padStart(64, "0")}`;
const payoutStep = { ...step, to: splitter, data: setPayout(payout) };
const preparePayout = (transaction: object, chosen: string | null = payout) =>
  createPayoutFlow({ preparePayout: vi.fn(async () => ({ transaction })) } as never, {
    ...{ token, splitter, wallet: account, payout: chosen },
  }).prepare(new AbortController().signal);

test("C10-65 a claim or a payout that pays, approves or transfers never reaches the wallet", async () => {
  const { chainId: _, from: __, gas: ___, ...call } = step;
  await expect(prepareClaim({ transaction: step })).resolves.toMatchObject({ name: "claim" });
  await expect(prepareClaim({ calls: [call, call] })).resolves.toMatchObject({ name: "claim_part" });
  const word = "00".repeat(32);
  for (const changed of [
    { value: "0x1" },
    // approve, transfer, transferFrom, increaseAllowance, setApprovalForAll.
    ...["0x095ea7b3", "0xA9059CBB", "0x23b872dd", "0x39509351", "0xa22cb465"].map((selector) => ({
      data: `${selector}${word}${word}`,
    })),
  ]) {
    const refused = { fault: "not_as_asked" };
    await expect(prepareClaim({ transaction: { ...step, ...changed } })).rejects.toMatchObject(refused);
    await expect(prepareClaim({ calls: [call, { ...call, ...changed }] })).rejects.toMatchObject(refused);
    await expect(preparePayout({ ...payoutStep, ...changed })).rejects.toMatchObject(refused);
  }
});

test("C10-71 a payout sets only the chosen address, and only at the shown splitter", async () => {
  await expect(preparePayout(payoutStep)).resolves.toMatchObject({ name: "set_payout" });
  const reset = { ...payoutStep, data: setPayout("0x0") };
  await expect(preparePayout(reset, null)).resolves.toMatchObject({ name: "set_payout" });
  for (const changed of [
    { data: setPayout(other) },
    { data: reset.data },
    { data: `${payoutStep.data}00` },
    { data: `0xdeadbeef${payoutStep.data.slice(10)}` },
    { to: other },
    { to: undefined },
  ])
    await expect(preparePayout({ ...payoutStep, ...changed })).rejects.toMatchObject({ fault: "not_as_asked" });
  await expect(preparePayout(payoutStep, null)).rejects.toMatchObject({ fault: "not_as_asked" });
});
