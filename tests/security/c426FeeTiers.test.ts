import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomSalt, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];

const oneEther = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const read = (address: string, abi: any, functionName: string, args: unknown[] = []): Promise<any> =>
  stack.deps.chain.client.readContract({ address: address as Hex, abi, functionName, args });

async function prepareSplitter(intent_id: string) {
  const answer = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer;
}

/** Launches a draft of a tier and trades it once; returns the parts of the traded native that treasury and splitter got. */
async function launchAndTrade(feeBps: number, more: object) {
  const intent_id = await storeDraft(stack, { fee_bps: feeBps, ...more });
  const split = await prepareSplitter(intent_id);
  await sendWithViem(stack, split, creator);
  const { splitter } = split.body.expected;
  const body = { intent_id, wallet: creator.address, splitter, salt: randomSalt() };
  const launch = await stack.call("POST", "/launch/transactions", body);
  expect([launch.status, launch.body.error]).toEqual([200, undefined]);
  await sendWithViem(stack, launch, creator);
  const { token, pool } = launch.body.expected;
  const fee = await read(pool, parseAbi(["function fee() view returns (uint24)"]), "fee");
  expect(fee).toBe(feeBps * 100);
  await untilIndexed(stack, token);

  const order = { token, wallet: trader.address, side: "buy", pay: "native", slippage_bps: 500 };
  const swap = await stack.call("POST", "/trade/calls", { ...order, amount_in: `${oneEther}` });
  expect([swap.status, swap.body.error]).toEqual([200, undefined]);
  await sendWithViem(stack, swap, trader);
  const weth = stack.manifest.wrapped_native.address;
  const balances = () =>
    Promise.all([stack.manifest.treasury, splitter].map((owner) => read(weth, erc20Abi, "balanceOf", [owner])));
  const before = await balances();
  for (const stage of ["collect", "settle"]) {
    const claim = await stack.call("POST", "/fees/claim-transactions", { token, wallet: creator.address, stage });
    expect([claim.status, claim.body.error]).toEqual([200, undefined]);
    await sendWithViem(stack, claim, creator);
  }
  const received = (await balances()).map((after, index) => after - before[index]);
  const position = await read(stack.manifest.current.fee_locker.address, feeLockerAbi, "positionOf", [token]);
  expect([position.totalFeeBps, position.protocolFeeBps]).toEqual([feeBps, 10]);
  return { received, splitter };
}

describe("C4-26 the fee tiers of a chain", () => {
  it.each([
    [100, {}],
    [50, {}],
    [30, {}],
    [10, {}],
    [10, { recipients: [] }],
  ])(
    "C4-26 a launch of %i bp pays the treasury 10 bp of the volume, and the splitter the rest (%j)",
    async (feeBps, more) => {
      const { received, splitter } = await launchAndTrade(feeBps, more);
      const [toTreasury, toSplitter] = received as unknown as [bigint, bigint];
      // Uniswap rounds the fee of each step of a swap up, and the part of a position down.
      const isAbout = (amount: bigint, bps: number) => {
        const difference = amount - (oneEther * BigInt(bps)) / 10_000n;
        return difference >= -2n && difference <= 2n;
      };
      expect([feeBps, isAbout(toTreasury, 10), isAbout(toSplitter, feeBps - 10)]).toEqual([feeBps, true, true]);
      if (!("recipients" in more)) return;
      const allocations = parseAbi(["function allocations() view returns (address[] payees, uint16[] shares)"]);
      expect(await read(splitter, allocations, "allocations")).toEqual([[creator.address], [10_000]]);
    },
  );

  it("C4-26 a draft without recipients is refused at every tier that leaves them a part, before it costs gas", async () => {
    for (const fee_bps of [100, 50, 30]) {
      const intent_id = await storeDraft(stack, { fee_bps, recipients: [] });
      const { status, body } = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
      expect([status, body.error?.code, body.transaction]).toEqual([422, "recipients_required", undefined]);
    }
  });
});
