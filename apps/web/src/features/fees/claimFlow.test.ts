import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import { createClaimFlow, createPayoutFlow } from "./claimFlow.ts";

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
const preparePayout = (transaction: object) =>
  createPayoutFlow({ preparePayout: vi.fn(async () => ({ transaction })) } as never, {
    ...{ token, wallet: account, payout: null },
  }).prepare(new AbortController().signal);

test("C10-65 a claim or a payout that pays, approves or transfers never reaches the wallet", async () => {
  const { chainId: _, from: __, gas: ___, ...call } = step;
  await expect(prepareClaim({ transaction: step })).resolves.toMatchObject({ name: "claim" });
  await expect(prepareClaim({ calls: [call, call] })).resolves.toMatchObject({ name: "claim_part" });
  await expect(preparePayout(step)).resolves.toMatchObject({ name: "set_payout" });
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
    await expect(preparePayout({ ...step, ...changed })).rejects.toMatchObject(refused);
  }
});
