import { type SwapExtras, swapCall } from "@slipway/protocol/swapCall";
import { permitTypedData } from "@slipway/protocol/typedData";
import { describe, expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import type { Sender } from "../../wallet/send.ts";
import { createTradeFlow, WorseQuote } from "./tradeFlow.ts";
import type { TradeOrder } from "./tradeOrder.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [router, wrapped, token, other] = [address("77"), address("0e"), address("aa"), address("bb")];
const contracts = { uniswap_router: router, wrapped_native: wrapped };
const word = (value: bigint) => value.toString(16).padStart(64, "0");
const approve = (amount: bigint, spender: string = router) => `0x095ea7b3${word(BigInt(spender))}${word(amount)}`;
const order: TradeOrder = { token, wallet: account, side: "sell", asset: "native", amount: "1000", slippageBps: 100 };

type Changes = Partial<Parameters<typeof swapCall>[1]> & { amountIn?: bigint; minimumOut?: bigint };

/** The calldata of an order's swap, whose quote is 500, with changes. */
function toSwap(
  { side, asset }: TradeOrder,
  changes: Changes = {},
  extras: SwapExtras = {},
  kind: Kind = "swap_router",
) {
  const { amountIn = 1_000n, minimumOut = 495n, ...changed } = changes;
  const [tokenIn, tokenOut] = side === "buy" ? [wrapped, token] : [token, wrapped];
  return swapCall(
    kind,
    {
      tokenIn,
      tokenOut,
      fee: 10_000,
      recipient: account,
      deadline: 9n,
      amounts: { exact: "input", amountIn, minimumOut },
      ...changed,
    },
    {
      paysNative: side === "buy" && asset === "native",
      receivesNative: side === "sell" && asset === "native",
      ...extras,
    },
  );
}

type Kind = Parameters<typeof swapCall>[0];

const swap = { to: router, data: toSwap(order), value: "0x0" };
const approval = { to: token, data: approve(1_000n), value: "0x0" };
const toTransaction = (changed: object = {}) => ({
  chainId: "0xb626",
  from: account,
  gas: "0x1",
  ...swap,
  ...changed,
});
const terms = { owner: account, spender: router, value: 1_000n, nonce: 0n, deadline: 1n };
const toPermit = (changed: object = {}, of: `0x${string}` = token) =>
  permitTypedData({ ...terms, ...changed }, of, { name: "T", version: "1" }, 46630);
const permit = toPermit();

function prepare(
  answer: object,
  changed: Partial<TradeOrder> = {},
  accepted: bigint | null = null,
  withoutPermits = false,
) {
  const chain = { id: 46630, contracts };
  const sender = { provider: createFakeProvider(), address: account, chain } as unknown as Sender;
  const full = {
    calls: [approval, swap],
    transaction: null,
    permit_typed_data: null,
    manifest: { chain_id: 46630 },
    quote: { amount_out: "500", expires_at: 9 },
    ...answer,
  };
  const flow = createTradeFlow({
    api: { prepareTradeCalls: vi.fn(async () => full), listTokenTrades: vi.fn() } as never,
    timing: createVirtualTiming(),
    getSender: () => sender,
    order: { ...order, ...changed },
    feeBps: 100,
    getAccepted: () => accepted,
    batches: { areRefused: () => true, refuse: () => {} },
    permits: { areRefused: () => withoutPermits },
  });
  return flow.prepare(new AbortController().signal);
}
const refuse = async (answer: object, changed: Partial<TradeOrder> = {}) =>
  await expect(prepare(answer, changed), JSON.stringify([answer, changed])).rejects.toMatchObject({
    fault: "not_as_asked",
  });

describe("C10-25 regardless of the service's response", () => {
  test("an approval or a permit for more than the order never reaches the wallet", async () => {
    await expect(prepare({})).resolves.toMatchObject({ name: "approve" });
    for (const amount of [1_001n, 2n ** 256n - 1n]) {
      await refuse({ calls: [{ ...approval, data: approve(amount) }, swap] });
      await refuse({ permit_typed_data: toPermit({ value: amount }) });
    }
  });

  test("after an account refuses a permit, the flow requests the exact approval", async () => {
    const answer = { permit_typed_data: permit };
    await expect(prepare(answer)).resolves.toMatchObject({ kind: "signature", name: "permit" });
    await expect(prepare(answer, {}, null, true)).resolves.toMatchObject({ kind: "transaction", name: "approve" });
  });

  test("C10-62 an approval or a permit for an asset outside the order never reaches the wallet", async () => {
    // The service returns addresses with their checksum.
    const upper = { ...permit.domain, verifyingContract: token.toUpperCase().replace("0X", "0x") };
    await expect(prepare({ permit_typed_data: { ...permit, domain: upper } })).resolves.toMatchObject({
      name: "permit",
    });
    await refuse({ permit_typed_data: toPermit({}, other) });
    await refuse({ permit_typed_data: toPermit({ owner: other }) });
    await refuse({ permit_typed_data: { ...permit, primaryType: "PermitForAll" } });
    const buying = {
      transaction: toTransaction({ data: toSwap({ ...order, side: "buy" }), value: "0x3e8" }),
      calls: [],
    };
    await expect(prepare(buying, { side: "buy" })).resolves.toMatchObject({ name: "swap" });
    await refuse({ ...buying, permit_typed_data: permit }, { side: "buy" });
    await refuse({ calls: [{ ...approval, to: other }, swap] });
    // A buy with native approves nothing, and no buy approves the asset that it buys.
    for (const asset of ["native", "wrapped"] as const) {
      const value = asset === "native" ? "0x3e8" : "0x0";
      const bought = { ...swap, data: toSwap({ ...order, side: "buy", asset }), value };
      await refuse({ calls: [approval, bought] }, { side: "buy", asset });
    }
  });

  test("no call sends more native than a buy pays", async () => {
    for (const value of ["0x3e9", "0x1"]) await refuse({ calls: [], transaction: toTransaction({ value }) });
    const data = toSwap({ ...order, side: "buy" });
    await refuse({ calls: [], transaction: toTransaction({ data, value: "0x3e9" }) }, { side: "buy" });
  });
});

test("C10-68 a buy with wrapped native approves only wrapped native, and only to the router", async () => {
  const buy = { side: "buy", asset: "wrapped" } as const;
  const bought = { ...swap, data: toSwap({ ...order, ...buy }) };
  const approving = { ...approval, to: wrapped };
  await expect(prepare({ calls: [approving, bought] }, buy)).resolves.toMatchObject({ name: "approve" });
  for (const changed of [{ to: other }, { to: undefined }, { data: approve(1_000n, other) }, { value: "0x1" }])
    await refuse({ calls: [{ ...approving, ...changed }, bought] }, buy);
});

describe("C10-69 the only calls of a trade are the router's swap of the order and the exact approval before it", () => {
  test("accepts every form of the swap", async () => {
    for (const kind of ["swap_router", "swap_router_02"] as const)
      for (const side of ["buy", "sell"] as const)
        for (const asset of ["native", "wrapped"] as const) {
          const value = side === "buy" && asset === "native" ? "0x3e8" : "0x0";
          const data = toSwap({ ...order, side, asset }, {}, {}, kind);
          const answer = { calls: [], transaction: toTransaction({ data, value }) };
          await expect(prepare(answer, { side, asset })).resolves.toMatchObject({ name: "swap" });
        }
  });

  test("refuses another contract, function, input, output, recipient, pool, permit, deadline or minimum", async () => {
    const signed = { value: 1_000n, deadline: 5n, v: 27, r: `0x${word(1n)}`, s: `0x${word(2n)}` } as const;
    const sold = { ...order, asset: "wrapped" } as const;
    const unpaid = toSwap(order, {}, { receivesNative: false });
    for (const changed of [
      { to: other },
      // Creates a contract.
      { to: undefined },
      { data: "0x" },
      { data: approve(1_000n) },
      // Permit2.approve, safeTransferFrom of ERC-721, send of ERC-777, transferOwnership.
      ...["0x87517c45", "0x42842e0e", "0x9bd9bbc6", "0xf2fde38b"].map((selector) => ({
        data: `${selector}${word(1n).repeat(4)}`,
      })),
      { data: toSwap(order, { amountIn: 1_001n }) },
      { data: toSwap(order, { minimumOut: 494n }) },
      { data: toSwap(order, { recipient: other }) },
      { data: toSwap(order, { tokenOut: other }) },
      { data: toSwap(order, { tokenIn: wrapped }) },
      // Leaves the output to the router, or to the wallet as wrapped native.
      { data: toSwap(order, { recipient: address("00") }, { receivesNative: false }) },
      { data: unpaid },
      { data: `${swap.data}00` },
      // A deadline before or an hour after the quote's expiry, the pool of another fee, a permit that nobody signed.
      { data: toSwap(order, { deadline: 8n }) },
      { data: toSwap(order, { deadline: 3_610n }) },
      { data: toSwap(order, { fee: 3_000 }) },
      { data: toSwap(order, {}, { permit: signed }) },
    ]) {
      await refuse({ calls: [], transaction: toTransaction(changed) });
      await refuse({ calls: [approval, { ...swap, ...changed }] });
    }
    await refuse({ calls: [], transaction: toTransaction({ data: toSwap(sold, { recipient: other }) }) }, sold);
  });

  test("refuses another number or order of calls", async () => {
    for (const calls of [[], [swap], [swap, approval], [swap, swap], [approval, swap, swap], [approval, approval]])
      await refuse({ calls });
    await refuse({ transaction: toTransaction({ to: token, data: approval.data }) });
  });

  test("refuses an approval or a permit for another spender, and a permit with other types", async () => {
    await refuse({ calls: [{ ...approval, data: approve(1_000n, other) }, swap] });
    await refuse({ permit_typed_data: toPermit({ spender: other }) });
    // DAI's permit has no amount: it allows everything.
    const fields = [
      { name: "holder", type: "address" },
      { name: "spender", type: "address" },
      { name: "nonce", type: "uint256" },
      { name: "expiry", type: "uint256" },
      { name: "allowed", type: "bool" },
    ];
    await refuse({ permit_typed_data: { ...permit, types: { ...permit.types, Permit: fields } } });
  });
});

test("a quote that is worse by half the slippage requires acceptance first", async () => {
  await expect(prepare({}, {}, 502n)).resolves.toMatchObject({ kind: "transaction" });
  await expect(prepare({}, {}, 503n)).rejects.toThrow(WorseQuote);
});
