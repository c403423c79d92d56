import { describe, expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import type { Sender } from "../../wallet/send.ts";
import { createTradeFlow, WorseQuote } from "./tradeFlow.ts";
import type { TradeOrder } from "./tradeOrder.ts";

const router = `0x${"77".repeat(20)}`;
const word = (value: bigint) => value.toString(16).padStart(64, "0");
const approve = (amount: bigint) => `0x095ea7b3${word(BigInt(router))}${word(amount)}`;
const order: TradeOrder = {
  ...{
    token: `0x${"aa".repeat(20)}`,
    wallet: account,
    side: "sell",
    asset: "native",
    amount: "1000",
    slippageBps: 100,
  },
};
const swap = { to: router, data: "0x12345678", value: "0x0" };
const approval = { ...swap, to: order.token };
/** The service returns addresses with their checksum. */
const permit = {
  ...{ primaryType: "Permit", domain: { verifyingContract: order.token.toUpperCase().replace("0X", "0x") } },
  message: { owner: account, value: "1000", deadline: "1" },
};

function prepare(
  answer: object,
  changed: Partial<TradeOrder> = {},
  accepted: bigint | null = null,
  withoutPermits = false,
) {
  const sender = { provider: createFakeProvider(), address: account, chain: { id: 46630 } } as unknown as Sender;
  const full = {
    ...{ calls: [swap], transaction: null, permit_typed_data: null, manifest: { chain_id: 46630 } },
    quote: { amount_out: "500" },
    ...answer,
  };
  const flow = createTradeFlow({
    api: { prepareTradeCalls: vi.fn(async () => full), listTokenTrades: vi.fn() } as never,
    timing: createVirtualTiming(),
    getSender: () => sender,
    order: { ...order, ...changed },
    getAccepted: () => accepted,
    batches: { areRefused: () => true, refuse: () => {} },
    permits: { areRefused: () => withoutPermits },
  });
  return flow.prepare(new AbortController().signal);
}

describe("C10-25 regardless of the service's response", () => {
  test("an approval or a permit for more than the order never reaches the wallet", async () => {
    await expect(prepare({ calls: [{ ...approval, data: approve(1_000n) }, swap] })).resolves.toMatchObject({
      name: "approve",
    });
    for (const amount of [1_001n, 2n ** 256n - 1n]) {
      const refused = prepare({ calls: [{ ...approval, data: approve(amount) }, swap] });
      await expect(refused).rejects.toMatchObject({ fault: "not_as_asked" });
      const typed = { ...permit, message: { ...permit.message, value: amount.toString() } };
      await expect(prepare({ permit_typed_data: typed })).rejects.toMatchObject({ fault: "not_as_asked" });
    }
  });

  test("after an account refuses a permit, the flow requests the exact approval", async () => {
    const answer = { calls: [{ ...approval, data: approve(1_000n) }, swap], permit_typed_data: permit };
    await expect(prepare(answer)).resolves.toMatchObject({ kind: "signature", name: "permit" });
    await expect(prepare(answer, {}, null, true)).resolves.toMatchObject({ kind: "transaction", name: "approve" });
  });

  test("C10-62 an approval or a permit for an asset outside the order never reaches the wallet", async () => {
    await expect(prepare({ permit_typed_data: permit })).resolves.toMatchObject({ name: "permit" });
    const other = `0x${"bb".repeat(20)}`;
    for (const typed of [
      { ...permit, domain: { verifyingContract: other } },
      { ...permit, message: { ...permit.message, owner: other } },
      { ...permit, primaryType: "PermitForAll" },
    ]) {
      await expect(prepare({ permit_typed_data: typed })).rejects.toMatchObject({ fault: "not_as_asked" });
    }
    await expect(prepare({ permit_typed_data: permit }, { side: "buy" })).rejects.toMatchObject({
      fault: "not_as_asked",
    });
    // No transfer, no allowance increase.
    await expect(prepare({ calls: [{ ...approval, data: swap.data }] })).rejects.toMatchObject({
      fault: "not_as_asked",
    });
    const approving = { ...approval, data: approve(1_000n) };
    await expect(prepare({ calls: [{ ...approving, to: other }, swap] })).rejects.toMatchObject({
      fault: "not_as_asked",
    });
    // No call gives away another asset: transfer, transferFrom, increaseAllowance, setApprovalForAll.
    for (const selector of ["0xA9059CBB", "0x23b872dd", "0x39509351", "0xa22cb465"]) {
      const giving = { ...swap, to: other, data: `${selector}${"00".repeat(64)}` };
      await expect(prepare({ calls: [giving, swap] })).rejects.toMatchObject({ fault: "not_as_asked" });
      await expect(prepare({ transaction: { ...giving, chainId: "0xb626", from: account } })).rejects.toMatchObject({
        fault: "not_as_asked",
      });
    }
    // A buy with native approves nothing, and no buy approves the asset that it buys.
    for (const asset of ["native", "wrapped"] as const) {
      const refused = prepare({ calls: [approving, swap] }, { side: "buy", asset });
      await expect(refused).rejects.toMatchObject({ fault: "not_as_asked" });
    }
    await expect(
      prepare({ calls: [{ ...approving, to: other }, swap] }, { side: "buy", asset: "native" }),
    ).rejects.toMatchObject({ fault: "not_as_asked" });
    await expect(
      prepare({ calls: [{ ...approving, to: other }, swap] }, { side: "buy", asset: "wrapped" }),
    ).resolves.toMatchObject({ name: "approve" });
  });

  test("no call sends more native than a buy pays", async () => {
    const paying = { ...swap, value: "0x3e9", chainId: "0xb626", from: account, gas: "0x1" };
    await expect(prepare({ transaction: paying })).rejects.toMatchObject({ fault: "not_as_asked" });
    await expect(prepare({ transaction: paying }, { side: "buy" })).rejects.toMatchObject({ fault: "not_as_asked" });
    await expect(prepare({ transaction: paying }, { side: "buy", amount: "1001" })).resolves.toMatchObject({
      name: "swap",
    });
  });
});

test("a quote that is worse by half the slippage requires acceptance first", async () => {
  await expect(prepare({}, {}, 502n)).resolves.toMatchObject({ kind: "transaction" });
  await expect(prepare({}, {}, 503n)).rejects.toThrow(WorseQuote);
});
