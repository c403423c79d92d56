import { example, type OperationExamples, prepared, sample } from "./example.ts";

const order = {
  token: sample.token,
  wallet: sample.trader,
  side: "buy",
  amount_in: "200000000000000000",
  slippage_bps: 100,
};

const quote = {
  token_in: sample.weth,
  token_out: sample.token,
  amount_in: order.amount_in,
  amount_out: "116729725378179990568834539",
  minimum_out: "115562428124398190663146193",
  block_number: "22",
  settlement: "wrapped_native",
  expires_at: 1_795_331_325,
  slippage_bps: order.slippage_bps,
  price_impact_bps: 1_167,
};

const warnings = [
  { code: "high_price_impact", message: "The trade moves the price: it yields 1167 bp less than the pool's price." },
];

const approval = prepared({
  action: "approve",
  step: { index: 1, total: 2, description: "Approve the router for exactly the amount" },
  next: "POST /trade/transactions with the same body, after the receipt",
  from: sample.trader,
  to: sample.weth,
  data: `0x095ea7b3${sample.router.slice(2).toLowerCase().padStart(64, "0")}${"2c68af0bb140000".padStart(64, "0")}`,
  gasUsed: 46_111,
  warnings,
  quote,
  issues: {
    allowance: { asset: sample.weth, needed: order.amount_in, available: "0", spender: sample.router },
    balance: null,
    native_balance: null,
  },
});

const swap = prepared({
  action: "swap",
  step: { index: 2, total: 2, description: "Swap before the deadline, for at least the minimum" },
  next: null,
  from: sample.trader,
  to: sample.router,
  data: "0x5ae401dc000000000000000000000000000000000000000000000000000000006b0294fd",
  gasUsed: 159_454,
  changes: [
    { asset: sample.token, from: sample.pool, to: sample.trader, amount: quote.amount_out },
    { asset: sample.weth, from: sample.trader, to: sample.pool, amount: quote.amount_in },
  ],
  warnings,
  expected: { amount_out: quote.amount_out, minimum_out: quote.minimum_out },
  quote,
});

const nativeOrder = { ...order, pay: "native" };
const nativeData = "0x5ae401dc000000000000000000000000000000000000000000000000000000006b0294fe";

const nativeBuy = {
  ...prepared({
    action: "swap",
    step: { index: 1, total: 1, description: "Swap before the deadline, for at least the minimum" },
    next: null,
    from: sample.trader,
    to: sample.router,
    data: nativeData,
    value: "0x2c68af0bb140000",
    gasUsed: 178_220,
    changes: [
      { asset: sample.token, from: sample.pool, to: sample.trader, amount: quote.amount_out },
      { asset: `0x${"0".repeat(40)}`, from: sample.trader, to: sample.router, amount: quote.amount_in },
    ],
    warnings,
    expected: { amount_out: quote.amount_out, minimum_out: quote.minimum_out },
    quote: {
      ...quote,
      settlement: "native",
      price_before: 1.5e-9,
      price_after: 1.97e-9,
      effective_price: 1.713e-9,
      effective_price_usd: 5.14e-6,
      fee_amount: "2000000000000000",
    },
  }),
  calls: [{ to: sample.router, data: nativeData, value: "0x2c68af0bb140000" }],
  permit_typed_data: null,
};

/** Quotes and swaps. */
export const tradeExamples: Record<string, OperationExamples> = {
  prepareTradeCalls: { request: example(nativeOrder), responses: { 200: example(nativeBuy) } },
  quoteTrade: { request: example(order), responses: { 200: example(quote) } },
  prepareTrade: {
    request: example(order),
    responses: {
      200: {
        approval: { summary: "The router may not spend enough yet", value: approval },
        swap: { summary: "After the approval's receipt", value: swap },
      },
    },
  },
};
