import { example, type OperationExamples, prepared, sample } from "./example.ts";

const release = { asset: sample.weth, to: sample.creator, amount: "1080000000000000" };
const order = { token: sample.token, wallet: sample.creator, stage: "release" };
const step = { index: 3, total: 3, description: "Release the recipient's part to its wallet" };

const ready = prepared({
  action: "release",
  step,
  next: null,
  from: sample.creator,
  to: sample.splitter,
  data: "0xa7d092b20000000000000000000000000000000000000000000000000000000000000040",
  gasUsed: 117_919,
  changes: [{ asset: release.asset, from: sample.splitter, to: release.to, amount: release.amount }],
  expected: { amounts: [release] },
});

const { transaction: _, issues: __, fees: ___, ...common } = ready;
const nothing = {
  ...common,
  status: "nothing_to_do",
  transaction: null,
  simulation: { ok: true, block_number: "25", gas_used: "46954", method: "eth_simulateV1", asset_changes: [] },
  expected: { amounts: [] },
};

const amounts = (inToken: string, inWeth: string) => [
  { asset: sample.token, amount: inToken },
  { asset: sample.weth, amount: inWeth },
];

const positions = {
  token: sample.token,
  wallet: sample.creator,
  splitter: sample.splitter,
  locker: sample.locker,
  share_bps: 6_000,
  is_recipient: true,
  payout: null,
  balances: [
    {
      ...{ asset: sample.weth, symbol: "WETH", decimals: 18 },
      ...{ credited: "0", claimable: "1080000000000000", claimed: "0", lifetime: "1080000000000000" },
    },
  ],
  recipients: [
    {
      ...{ wallet: sample.creator, payout: null, provider: "wallet", handle: null, verified: false, share_bps: 6_000 },
      ...{ claimable: amounts("0", "1080000000000000"), claimed: amounts("0", "0") },
    },
    {
      ...{
        wallet: sample.collaborator,
        payout: null,
        provider: "social",
        handle: "tin",
        verified: false,
        share_bps: 4_000,
      },
      ...{ claimable: amounts("0", "720000000000000"), claimed: amounts("0", "0") },
    },
  ],
  as_of_block: "24",
};

const pending = {
  token: sample.token,
  splitter: sample.splitter,
  locker: sample.locker,
  treasury: sample.treasury,
  partner: null,
  assets: [
    {
      ...{ asset: sample.token, symbol: "BOAT", decimals: 18, amount: "0" },
      ...{ protocol: "0", partner: "0", collaborators: "0" },
    },
    {
      ...{ asset: sample.weth, symbol: "WETH", decimals: 18, amount: "2000000000000000" },
      ...{ protocol: "200000000000000", partner: "0", collaborators: "1800000000000000" },
    },
  ],
  recipients: [
    {
      ...{ wallet: sample.creator, provider: "wallet", handle: null, verified: false, share_bps: 6_000 },
      amounts: amounts("0", "1080000000000000"),
    },
    {
      ...{ wallet: sample.collaborator, provider: "social", handle: "tin", verified: false, share_bps: 4_000 },
      amounts: amounts("0", "720000000000000"),
    },
  ],
  as_of_block: "24",
};

const claimStep = { index: 1, total: 1, description: "Collect, settle and release everything that the wallet earns" };
const claimChanges = [
  { asset: sample.weth, from: sample.pool, to: sample.locker, amount: "2000000000000000" },
  { asset: sample.weth, from: sample.locker, to: sample.splitter, amount: "1800000000000000" },
  { asset: sample.weth, from: sample.locker, to: sample.treasury, amount: "200000000000000" },
  { asset: release.asset, from: sample.splitter, to: release.to, amount: release.amount },
];
const claimCalls = [
  { to: sample.locker, data: `0x06ec16f8${sample.token.slice(2).toLowerCase().padStart(64, "0")}`, value: "0x0" },
  {
    to: sample.locker,
    data: "0x918cfd990000000000000000000000000000000000000000000000000000000000000040",
    value: "0x0",
  },
  {
    to: sample.splitter,
    data: "0xa7d092b20000000000000000000000000000000000000000000000000000000000000040",
    value: "0x0",
  },
];
const claim = {
  ...prepared({
    action: "claim",
    step: claimStep,
    next: null,
    from: sample.creator,
    to: sample.multicall3,
    data: "0x82ad56cb0000000000000000000000000000000000000000000000000000000000000020",
    gasUsed: 249_410,
    changes: claimChanges,
    expected: { amounts: [release] },
  }),
  calls: claimCalls,
};

const payout = prepared({
  action: "set_payout",
  step: { index: 1, total: 1, description: "Choose where the recipient's part is paid" },
  next: null,
  from: sample.creator,
  to: sample.splitter,
  data: `0xa3ff39b2${sample.trader.slice(2).toLowerCase().padStart(64, "0")}`,
  gasUsed: 49_812,
  expected: { splitter: sample.splitter },
  warnings: [
    {
      code: "payout_changed",
      message: `From then on the splitter ${sample.splitter} pays the part of ${sample.creator} to ${sample.trader} in every release, also of what is claimable already.`,
    },
  ],
});

/** Fee payouts and positions. */
export const feeExamples: Record<string, OperationExamples> = {
  prepareFeeClaim: {
    request: {
      collect: { summary: "From the pool to the locker", value: { ...order, stage: "collect" } },
      settle: { summary: "From the locker to splitter and treasury", value: { ...order, stage: "settle" } },
      release: { summary: "From the splitter to the recipient", value: order },
    },
    responses: {
      200: {
        ready: { summary: "A transaction to sign", value: ready },
        nothing: { summary: "The stage would move nothing", value: nothing },
      },
    },
  },
  prepareClaimCalls: {
    request: {
      all: { summary: "Everything", value: { wallet: sample.creator, tokens: [sample.token] } },
      native: {
        summary: "What is claimable already, in native",
        value: { wallet: sample.creator, tokens: [sample.token], unwrap: true, stages: "release" },
      },
    },
    responses: {
      200: {
        ready: { summary: "One transaction through Multicall3, and the batch", value: claim },
        nothing: {
          summary: "There is nothing to claim",
          value: { ...nothing, action: "claim", step: claimStep, calls: [] },
        },
      },
    },
  },
  preparePayout: {
    request: {
      move: {
        summary: "Pay another address",
        value: { token: sample.token, wallet: sample.creator, payout: sample.trader },
      },
      back: { summary: "Pay the wallet again", value: { token: sample.token, wallet: sample.creator, payout: null } },
    },
    responses: { 200: example(payout) },
  },
  getFeePending: { responses: { 200: example(pending) } },
  getFeePositions: { responses: { 200: example(positions) } },
};
