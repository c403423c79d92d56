import { launchForTypedData } from "@slipway/protocol/launchSignature";
import { example, type OperationExamples, prepared, sample } from "./example.ts";

const intent = {
  name: "Tin Boat",
  symbol: "TIN",
  description: "A boat of tin.",
  image_uri: sample.image,
  website: "https://tinboat.example/",
  chain_id: sample.chainId,
  recipients: [
    { provider: "wallet", wallet: sample.creator, share_bps: 6_000 },
    { provider: "social", handle: "tin", wallet: sample.collaborator, share_bps: 4_000 },
  ],
};

const uploadedImage = {
  uri: sample.image,
  ipfs: sample.image,
  url: `https://launch.example/media/${sample.imageSha256}.webp`,
  ipfs_error: null,
  sha256: sample.imageSha256,
  cid: sample.image.slice("ipfs://".length),
  width: 512,
  height: 512,
  animated: false,
  bytes: 41_872,
  content_type: "image/webp",
  blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
  dominant_color: "#f8a838",
};

const draft = {
  id: sample.draftId,
  status: "draft",
  intent: { ...intent, fee_bps: 100 },
  created_at: "2026-11-22T07:07:42.018Z",
  transaction: null,
  warnings: [],
};

const links = { x: "https://x.com/tinboat", telegram: "https://t.me/tinboat" };

const optionsRequest = {
  initial_buy: { amount_in: "100000000000000000", slippage_bps: 100 },
  partner: sample.collaborator,
  links,
  banner_uri: sample.image,
};

const options = {
  initial_buy: { ...optionsRequest.initial_buy, recipient: null },
  partner: sample.collaborator,
  links: { ...links, discord: null, farcaster: null, github: null, website2: null },
  banner_uri: sample.image,
  creator: null,
};

const progress = {
  splitters: [
    {
      address: sample.splitter,
      tx_hash: sample.tradeTx,
      wallet: sample.creator,
      method: "creation",
      block_number: 21,
    },
  ],
  launches: [
    {
      token: sample.token,
      tx_hash: sample.launchTx,
      wallet: sample.creator,
      splitter: sample.splitter,
      salt: `0x${"fe".repeat(32)}`,
      block_number: 22,
    },
  ],
};

const toPrice = (priceEth: number) => ({
  price_eth: priceEth,
  price_usd: priceEth * 2_050,
  market_cap_eth: priceEth * 1e9,
  market_cap_usd: priceEth * 2_050e9,
  fdv_eth: priceEth * 1e9,
  fdv_usd: priceEth * 2_050e9,
});

const firstBuy = {
  amount_in: "100000000000000000",
  amount_out: "61982460484393572712369065",
  share_of_supply: 0.061982460484,
  after: toPrice(1.702_76e-9),
};

const toCost = (action: string, gasUsed: number) => ({
  action,
  gas_used: `${gasUsed}`,
  gas_limit: `${gasUsed + 30_000}`,
  gas_price: "1000000000",
  l1_gas: null,
  total_wei: `${gasUsed + 30_000}000000000`,
  total_usd: ((gasUsed + 30_000) / 1e9) * 2_050,
});

const preview = {
  block_number: "24",
  eth_usd: 2_050,
  start: toPrice(1.498_227e-9),
  buys: [firstBuy],
  initial_buy: { ...firstBuy, minimum_out: "61362635879549636985245374", recipient: sample.creator },
  steps: [toCost("deploy_splitter", 72_666), toCost("launch", 4_711_814)],
  total: {
    value: "100000000000000000",
    gas_wei: "4844480000000000",
    total_wei: "104844480000000000",
    total_usd: 214.93,
  },
  fees: {
    total_bps: 100,
    protocol_bps: 10,
    collaborators_bps: 90,
    partner_share_bps: 0,
    pool_protocol_fee: 0,
    lp_fee_bps_effective: 100,
    collaborators_bps_effective: 90,
  },
  warnings: [],
  request_id: sample.requestId,
};

const splitter = prepared({
  action: "deploy_splitter",
  step: { index: 1, total: 2, description: "Deploy the splitter that pays the draft's recipients" },
  next: "POST /launch/transactions with this intent_id and expected.splitter, after the receipt",
  from: sample.creator,
  data: "0x60a0806040523461039e57610f2580380380",
  gasUsed: 720_995,
  warnings: [
    {
      code: "unverified_handle",
      message: `The social handle tin of ${sample.collaborator} is a label that no account has verified; the wallet is paid.`,
    },
  ],
  expected: { splitter: sample.splitter, account_nonce: 0 },
});

const launch = prepared({
  action: "launch",
  step: { index: 2, total: 2, description: "Launch the token with its pool and the locked position" },
  next: `GET /tokens/${sample.token}, after the receipt`,
  from: sample.creator,
  to: sample.factory,
  data: "0xf0e37d9e0000000000000000000000000000000000000000000000000000000000000060",
  gasUsed: 5_711_814,
  changes: [
    {
      asset: sample.token,
      from: "0x0000000000000000000000000000000000000000",
      to: sample.locker,
      amount: "1000000000000000000000000000",
    },
    { asset: sample.token, from: sample.locker, to: sample.pool, amount: "999999999999999999999980452" },
  ],
  expected: { token: sample.token, pool: sample.pool, splitter: sample.splitter },
});

const salt = "0xfefd6e96ac0e1177c03ad95e93ea0a123e169592297595644694be2bc0a601f0";
const launchData = "0x190c1fb40000000000000000000000000000000000000000000000000000000000000060";

/** The splitter and the launch as one batch. */
const launchBatch = {
  ...launch,
  step: { index: 1, total: 1, description: "Make the draft's splitter, and launch the token" },
  next: `Send calls as one atomic batch (wallet_sendCalls), or one after the other; then GET /tokens/${sample.token}`,
  transaction: null,
  calls: [
    { to: sample.splitterFactory, data: "0x9d439cde", value: "0x0" },
    { to: sample.factory, data: launchData, value: "0x0" },
  ],
  typed_data: null,
};

const typedData = launchForTypedData(
  {
    creator: sample.creator,
    params: {
      name: intent.name,
      symbol: intent.symbol,
      contractURI: "data:application/json;base64,eyJuYW1lIjoiVGluIEJvYXQifQ==",
      splitter: sample.splitter,
      salt,
      partner: "0x0000000000000000000000000000000000000000",
    },
    buy: { recipient: "0x0000000000000000000000000000000000000000", minimumOut: 0n },
    value: 0n,
    deadline: 1_795_417_665n,
  },
  sample.factory,
  sample.chainId,
);

const signatureRequired = {
  ...launchBatch,
  status: "signature_required",
  step: { index: 1, total: 2, description: "Let the creator sign the launch" },
  next: "Let the creator sign typed_data, and POST /launch/calls again with its deadline and the signature",
  calls: [],
  typed_data: typedData,
};

const callsRequest = { intent_id: sample.draftId, wallet: sample.creator, splitter: null, salt };
const authorization = { deadline: 1_795_417_665, signature: `0x${"4f".repeat(64)}1b` };

/** Drafts, the splitter step and the launch. */
export const launchExamples: Record<string, OperationExamples> = {
  uploadImage: { responses: { 200: example(uploadedImage) } },
  createIntent: { request: example(intent), responses: { 200: example(draft), 201: example(draft) } },
  listIntents: { responses: { 200: example({ items: [draft], next_before: null }) } },
  getIntent: { responses: { 200: example({ ...draft, options: null }) } },
  getIntentProgress: { responses: { 200: example(progress) } },
  putIntentOptions: { request: example(optionsRequest), responses: { 200: example({ ...draft, options }) } },
  deleteIntent: { responses: { 200: example({ removed: true }) } },
  prepareSplitter: {
    request: example({ intent_id: sample.draftId, wallet: sample.creator }),
    responses: { 200: example(splitter) },
  },
  prepareLaunch: {
    request: example({
      intent_id: sample.draftId,
      wallet: sample.creator,
      splitter: sample.splitter,
      salt,
    }),
    responses: { 200: example(launch) },
  },
  previewLaunch: {
    request: example({ intent_id: sample.draftId, wallet: sample.creator }),
    responses: { 200: example(preview) },
  },
  prepareLaunchCalls: {
    request: {
      own: { summary: "The wallet is the creator", value: callsRequest },
      signed: {
        summary: "Another account is the creator, and has signed",
        value: { ...callsRequest, wallet: sample.trader, authorization },
      },
    },
    responses: {
      200: {
        batch: { summary: "The splitter and the launch", value: launchBatch },
        signature: { summary: "The creator has to sign first", value: signatureRequired },
      },
    },
  },
};
