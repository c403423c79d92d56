import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeFunctionData, multicall3Abi, zeroAddress } from "viem";
import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import { createClaimFlow, createPayoutFlow } from "./claimFlow.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [token, splitter, payout, other] = [address("aa"), address("5b"), address("33"), address("0b")];
const [locker, wrapped, multicall3] = [address("10"), address("0e"), address("ca")];
const contracts = { wrapped_native: wrapped, multicall3 };
/** FeeSplitter.UNWRAPPED. */
const unwrapped = address("ee");
const word = "00".repeat(32);
const refused = { fault: "not_as_asked" };
const collect = { abi: feeLockerAbi, functionName: "collect", args: [token] } as const;
const step = { chainId: "0xb626", from: account, to: token, data: "0x12345678", value: "0x0", gas: "0x1" };

function prepareClaim(answer: object) {
  const full = { status: "ready", transaction: null, calls: [], manifest: { chain_id: 46630 }, ...answer };
  const flow = createClaimFlow({
    api: { prepareClaimCalls: vi.fn(async () => full) } as never,
    timing: createVirtualTiming(),
    getSender: () => ({ provider: createFakeProvider(), address: account, chain: { id: 46630, contracts } }) as never,
    batches: { areRefused: () => true, refuse: () => {} },
    claim: { wallet: account, tokens: [token], unwrap: true, stages: "all" },
  });
  return flow.prepare(new AbortController().signal);
}
const setPayout = (to: `0x${string}`) =>
  encodeFunctionData({ abi: feeSplitterAbi, functionName: "setPayout", args: [to] });
const payoutStep = { ...step, to: splitter, data: setPayout(payout) };
const preparePayout = (transaction: object, chosen: string | null = payout) =>
  createPayoutFlow({ preparePayout: vi.fn(async () => ({ transaction })) } as never, {
    token,
    splitter,
    wallet: account,
    payout: chosen,
  }).prepare(new AbortController().signal);

const refuseClaim = async (call: object) => {
  await expect(prepareClaim({ transaction: { ...step, ...call } }), JSON.stringify(call)).rejects.toMatchObject(
    refused,
  );
  await expect(prepareClaim({ calls: [call] }), JSON.stringify(call)).rejects.toMatchObject(refused);
};

test("C10-65 a claim or a payout that pays, approves or transfers never reaches the wallet", async () => {
  const call = { to: locker, data: encodeFunctionData(collect), value: "0x0" };
  await expect(prepareClaim({ transaction: { ...step, ...call } })).resolves.toMatchObject({ name: "claim" });
  await expect(prepareClaim({ calls: [call, call] })).resolves.toMatchObject({ name: "claim_part" });
  for (const changed of [
    { value: "0x1" },
    // approve, transfer, transferFrom, increaseAllowance, setApprovalForAll.
    ...["0x095ea7b3", "0xA9059CBB", "0x23b872dd", "0x39509351", "0xa22cb465"].map((selector) => ({
      data: `${selector}${word}${word}`,
    })),
  ]) {
    await refuseClaim({ ...call, ...changed });
    await expect(preparePayout({ ...payoutStep, ...changed })).rejects.toMatchObject(refused);
  }
});

test("C10-73 a claim only collects, settles and releases fees of the claimed tokens, to the wallet", async () => {
  const settle = { abi: feeLockerAbi, functionName: "settle", args: [token, [token, wrapped]] } as const;
  const payOwed = { abi: feeLockerAbi, functionName: "payOwed", args: [wrapped, splitter] } as const;
  const release = { abi: feeSplitterAbi, functionName: "release", args: [[token, unwrapped], account] } as const;
  const parts = [collect, settle, payOwed].map((one) => ({ to: locker, data: encodeFunctionData(one), value: "0x0" }));
  const released = { to: splitter, data: encodeFunctionData(release), value: "0x0" };
  const join = (calls: readonly { to: string; data: string }[]) =>
    encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map(({ to, data }) => ({ target: to, callData: data, allowFailure: false })) as never],
    });
  const joined = { ...step, to: multicall3, data: join([...parts, released]) };
  await expect(prepareClaim({ calls: [...parts, released] })).resolves.toMatchObject({ name: "claim_part" });
  await expect(prepareClaim({ calls: [...parts, released], transaction: joined })).resolves.toMatchObject({
    name: "claim",
  });
  for (const changed of [
    { to: splitter, data: setPayout(other) },
    { data: encodeFunctionData({ ...collect, args: [other] }) },
    { data: encodeFunctionData({ ...settle, args: [other, [token]] }) },
    { data: encodeFunctionData({ ...settle, args: [token, [other]] }) },
    { data: encodeFunctionData({ ...payOwed, args: [other, splitter] }) },
    { data: encodeFunctionData({ ...release, args: [[token], other] }) },
    { data: encodeFunctionData({ ...release, args: [[other], account] }) },
    // The claim is to be paid as native.
    { data: encodeFunctionData({ ...release, args: [[wrapped], account] }) },
    { data: encodeFunctionData({ ...release, functionName: "releaseTo", args: [[token], other] }) },
    // Permit2.approve, safeTransferFrom of ERC-721, send of ERC-777, transferOwnership, no function.
    ...["0x87517c45", "0x42842e0e", "0x9bd9bbc6", "0xf2fde38b"].map((selector) => ({
      data: `${selector}${word.repeat(4)}`,
    })),
    { data: "0x" },
  ]) {
    const call = { ...released, ...changed };
    await refuseClaim(call);
    await refuseClaim({ ...joined, data: join([...parts, call]) });
  }
  // A creation of a contract.
  await refuseClaim({ ...released, to: undefined });
  // Only the deployment's Multicall3 joins calls.
  await refuseClaim({ ...joined, to: other });
});

test("C10-71 a payout sets only the chosen address, and only at the shown splitter", async () => {
  await expect(preparePayout(payoutStep)).resolves.toMatchObject({ name: "set_payout" });
  const reset = { ...payoutStep, data: setPayout(zeroAddress) };
  await expect(preparePayout(reset, null)).resolves.toMatchObject({ name: "set_payout" });
  for (const changed of [
    { data: setPayout(other) },
    { data: reset.data },
    { data: `${payoutStep.data}00` },
    { data: `0xdeadbeef${payoutStep.data.slice(10)}` },
    { to: other },
    { to: undefined },
  ])
    await expect(preparePayout({ ...payoutStep, ...changed })).rejects.toMatchObject(refused);
  await expect(preparePayout(payoutStep, null)).rejects.toMatchObject(refused);
});
