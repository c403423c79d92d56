import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { toAllocations } from "@slipway/protocol/intent";
import { type LaunchOptions, linkNames } from "@slipway/protocol/launchOptions";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { launchTypes } from "@slipway/protocol/signedTypes";
import { predictToken } from "@slipway/protocol/vanitySearch";
import { getDraftSplitter } from "@slipway/protocol/verify/draftSplitter";
import { getReviewedVesting } from "@slipway/protocol/verify/draftVesting";
import type { ReviewedDraft } from "@slipway/protocol/verify/reviewedLaunch";
import { encodeFunctionData } from "viem";
import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import { isCreatedSplitter } from "./draftSplitter.ts";
import { createLaunchFlow } from "./launchFlow.ts";
import { askOffer } from "./launchSignature.ts";
import { requireReviewed } from "./requireReviewed.ts";
import { requireToken } from "./requireToken.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [factory, friend, stranger] = [address("fa"), address("f0"), address("66")];
const [splitterFactory, implementation] = [address("5f"), address("51")];
const contracts = {
  launch_factory: factory,
  fee_locker: address("fb"),
  splitter_factory: splitterFactory,
  splitter_implementation: implementation,
  vesting_factory: address("7e"),
  vesting_implementation: address("71"),
};
const zero = address("00");
const noLinks = Object.fromEntries(linkNames.map((name) => [name, null])) as LaunchOptions["links"];
const options: LaunchOptions = {
  initial_buy: { amount_in: "100000000000000000", slippage_bps: 100, recipient: null },
  partner: null,
  links: { ...noLinks, x: "https://x.com/seal", telegram: "https://t.me/seal" },
  banner_uri: "ipfs://banner",
  creator: null,
};
const toRecipients = (wallet: string) => [
  { provider: "wallet", wallet, share_bps: 9_000 },
  { provider: "wallet", wallet: friend, share_bps: 1_000 },
];
const recipients = toRecipients(account);
const draft = {
  id: "01a1fc8d-0000-7000-8000-000000000001",
  intent: { name: "Séal", symbol: "SEAL", image_uri: "ipfs://seal", website: "https://seal.example/", recipients },
  options,
} as unknown as ReviewedDraft;

const expected = getDraftSplitter(draft, account, contracts);
const foreign = getDraftSplitter(
  { ...draft, intent: { ...draft.intent, recipients: toRecipients(stranger) as never } },
  account,
  contracts,
);

/** The receiver of the initial buy: its vesting, if the tokens vest. */
const getReceiver = (put: ReviewedDraft["options"], creator: string) =>
  getReviewedVesting({ id: draft.id, options: put }, creator, contracts)?.address ??
  put?.initial_buy?.recipient ??
  creator;

const toArguments = (
  { intent, options: put }: ReviewedDraft,
  creator: string,
  splitter: `0x${string}` = expected.address,
) => {
  const buy = put?.initial_buy ?? null;
  return {
    params: {
      name: intent.name,
      symbol: intent.symbol,
      splitter,
      salt: `0x${"5a".repeat(32)}` as const,
      ...{ contractURI: contractUri(intent, `0x${"cc".repeat(32)}`, put), partner: (put?.partner ?? zero) as never },
      feeBps: intent.fee_bps ?? 100,
    },
    buy: { recipient: (buy === null ? zero : getReceiver(put, creator)) as never, minimumOut: 7n },
    value: BigInt(buy?.amount_in ?? "0"),
  };
};
/** Returns the factory call as the service prepares it. */
function prepare(of: ReviewedDraft, creator: `0x${string}` = account, signed = false, splitter = expected.address) {
  const { params, buy, value } = toArguments(of, creator, splitter);
  const data = signed
    ? encodeFunctionData({
        ...{ abi: launchFactoryAbi, functionName: "launchFor" },
        args: [creator, params, buy, value, 9n, `0x${"11".repeat(65)}`],
      })
    : encodeFunctionData({ abi: launchFactoryAbi, functionName: "launch", args: [params, buy] });
  return { to: factory, data, value: `0x${value.toString(16)}` };
}
const makeSplitter = { ...expected.create, value: "0x0" };
const createSplitter = { to: undefined, data: expected.creation, value: "0x0" };
const reviewed = { creator: account, factory, splitter: expected, made: null, vesting: null };
const review = (calls: Parameters<typeof requireReviewed>[0], creator: string = account) =>
  requireReviewed(calls, draft, { ...reviewed, creator });
const refused = expect.objectContaining({ fault: "not_as_asked" });

/** Every change of the options that changes the launch. */
const buy = options.initial_buy!;
const changes: Partial<LaunchOptions>[] = [
  { initial_buy: null },
  { initial_buy: { ...buy, amount_in: "200000000000000000" } },
  { initial_buy: { ...buy, recipient: stranger as never } },
  { initial_buy: { ...buy, vesting: { cliff: 1_800_000_000, end: 1_900_000_000 } } },
  { partner: stranger as never },
  { links: { ...options.links, x: "https://x.com/other" } },
  { links: { ...options.links, website2: "https://other.example/" } },
  { links: noLinks },
  { banner_uri: "ipfs://other" },
  { banner_uri: null },
];
const change = (changed: Partial<LaunchOptions>): ReviewedDraft => ({ ...draft, options: { ...options, ...changed } });

test("a reviewed launch is sent by its creator or with the creator's signature", () => {
  review([prepare(draft)]);
  review([makeSplitter, prepare(draft)]);
  review([createSplitter]);
  review([prepare(draft, friend, true)], friend);
  const plain = { ...draft, options: null } as ReviewedDraft;
  requireReviewed([prepare(plain)], plain, reviewed);
  const other = change({ initial_buy: { ...buy, recipient: friend as never }, partner: stranger as never });
  requireReviewed([prepare(other)], other, reviewed);
});

test("C10-66 a launch whose token has another address than the review shows never reaches the wallet", () => {
  const shown = {
    creator: account,
    contracts,
    token: predictToken(contracts, account, toArguments(draft, account).params),
  };
  requireToken([makeSplitter, prepare(draft)], shown);
  const others = [change({ links: noLinks }), { ...draft, intent: { ...draft.intent, fee_bps: 50 } } as ReviewedDraft];
  for (const put of others) expect(attempt(() => requireToken([makeSplitter, prepare(put)], shown))).toEqual(refused);
  expect(attempt(() => requireToken([prepare(draft, friend, true)], shown))).toEqual(refused);
  const { data, ...call } = prepare(draft);
  expect(attempt(() => requireToken([{ ...call, data: `${data}00` }], shown))).toEqual(refused);
});

test("C10-66 a launch whose options differ from the reviewed ones never reaches the wallet", () => {
  for (const changed of changes) {
    const put = change(changed);
    expect([changed, attempt(() => review([makeSplitter, prepare(put)]))]).toEqual([changed, refused]);
    expect([changed, attempt(() => review([prepare(put, friend, true)], friend))]).toEqual([changed, refused]);
  }
  const texts = { name: "Other", symbol: "OTHER", image_uri: "ipfs://o", website: "" };
  for (const [field, changed] of Object.entries({ ...texts, fee_bps: 50 })) {
    const put = { ...draft, intent: { ...draft.intent, [field]: changed } };
    expect([field, attempt(() => review([prepare(put)]))]).toEqual([field, refused]);
  }
  // A launch signed by an account that is not the creator, and calls that are not a launch.
  expect(attempt(() => review([prepare(draft, stranger, true)], friend))).toEqual(refused);
  const { to, data, value } = prepare(draft);
  for (const call of [
    { ...makeSplitter, value: "0x1" },
    { ...makeSplitter, data: `0xa9059cbb${"00".repeat(64)}` },
    { to: stranger, data, value },
    { to, data: data.slice(0, 300), value },
    { to, data: `${data.slice(0, 10)}${"ff".repeat(32)}${data.slice(74)}`, value },
    { to, data: data.slice(0, 10), value },
  ]) {
    expect([call.data.length, attempt(() => review([call]))]).toEqual([call.data.length, refused]);
  }
});

function attempt(work: () => void): unknown {
  try {
    work();
    return "not refused";
  } catch (error) {
    return error;
  }
}

test("C10-66 a vested buy goes only to the vesting with the reviewed dates and recipient", () => {
  const vesting = { cliff: 1_800_000_000, end: 1_900_000_000 };
  const vested = change({ initial_buy: { ...buy, vesting } });
  const made = getReviewedVesting(vested, account, contracts)!;
  const create = { ...made.create, value: "0x0" };
  const parts = { ...reviewed, vesting: made };
  requireReviewed([makeSplitter, create, prepare(vested)], vested, parts);
  const others = [
    { ...buy, vesting: null },
    { ...buy, vesting: { ...vesting, end: vesting.end - 1 } },
    { ...buy, vesting: { ...vesting, cliff: 0 } },
    { ...buy, vesting, recipient: stranger as never },
  ];
  for (const initial_buy of others) {
    const put = change({ initial_buy });
    const other = getReviewedVesting(put, account, contracts);
    expect(attempt(() => requireReviewed([prepare(put)], vested, parts))).toEqual(refused);
    if (other === null) continue;
    expect(attempt(() => requireReviewed([{ ...other.create, value: "0x0" }], vested, parts))).toEqual(refused);
  }
  for (const call of [
    { ...create, to: stranger },
    { ...create, value: "0x1" },
    { ...create, data: `${create.data}00` },
  ])
    expect(attempt(() => requireReviewed([call], vested, parts))).toEqual(refused);
  // A draft without a vesting creates none.
  expect(attempt(() => review([create]))).toEqual(refused);
});

test("C10-66 a flow rejects options that were stored after the review, for each way to launch", async () => {
  const put = change({ initial_buy: { ...buy, recipient: stranger as never } });
  const transaction = { ...prepare(put), chainId: "0xb626", from: account, gas: "0x1" };
  const manifest = { chain_id: 46630 };
  for (const made of [null, expected.address]) {
    const prepareLaunchCalls = vi.fn(async () => ({
      calls: [makeSplitter, prepare(put)],
      transaction: null,
      manifest,
    }));
    const prepareLaunch = vi.fn(async () => ({ transaction }));
    const provider = createFakeProvider({
      // A contract wallet: the factory creates its splitter.
      eth_getCode: () => `0x${"60".repeat(100)}`,
      eth_getTransactionCount: () => "0x1",
    });
    const flow = createLaunchFlow({
      api: {
        ...{ prepareLaunchCalls, prepareLaunch },
        getIntentProgress: async () => ({
          launches: [],
          splitters: made === null ? [] : [{ address: made, tx_hash: "0x1" }],
        }),
      } as never,
      timing: createVirtualTiming(),
      getSender: () => ({ provider, address: account, chain: { id: 46630, factory, contracts } }) as never,
      batches: { areRefused: () => true, refuse: () => {} },
      draft,
      wallet: account,
      signed: null,
      vanity: null,
    });
    await expect(flow.prepare(new AbortController().signal)).rejects.toMatchObject({ fault: "not_as_asked" });
    expect(prepareLaunchCalls.mock.calls.length + prepareLaunch.mock.calls.length).toBe(1);
    // The request for a reload.
    expect(flow.request).toMatchObject({ options });
  }
});

/** Requests the launch for the creator to sign, which the service prepares with changes. */
const askToSign = (of: ReviewedDraft, splitter = expected.address, changed: object = {}, deadline = "9") => {
  const { params, buy: bought, value } = toArguments(of, friend, splitter);
  const message = {
    creator: friend,
    params,
    value: value.toString(),
    deadline,
    buy: { recipient: bought.recipient, minimumOut: "7" },
  };
  const typed = {
    domain: { verifyingContract: factory, chainId: 46630 },
    primaryType: "Launch",
    types: launchTypes,
    ...changed,
    message,
  };
  const api = { prepareLaunchCalls: vi.fn(async () => ({ typed_data: typed })) } as never;
  const parts = { api, timing: createVirtualTiming(), draft: draft as never, creator: friend, contracts, vanity: null };
  return askOffer(parts, new AbortController().signal);
};

test("C10-66 a creator can sign only the reviewed launch", async () => {
  const refusal = { fault: "not_as_asked" };
  expect(await askToSign(draft)).toMatchObject({ signature: null });
  for (const changed of changes) await expect(askToSign(change(changed))).rejects.toMatchObject(refusal);
  await expect(askToSign(draft, foreign.address)).rejects.toMatchObject(refusal);
});

test("C10-66 a creator signs no launch that stays valid for longer than the service offers", async () => {
  const deadline = String(Math.floor(Date.now() / 1_000) + 7_200);
  await expect(askToSign(draft, expected.address, {}, deadline)).rejects.toMatchObject({ fault: "not_as_asked" });
});

test("C10-66 a document with the reviewed fields in another form is another launch", () => {
  const { contractURI } = toArguments(draft, account).params;
  const json = Buffer.from(contractURI.slice(contractURI.indexOf(",") + 1), "base64").toString();
  const toUri = (text: string) => `data:application/json;base64,${Buffer.from(text).toString("base64")}`;
  const withUri = (uri: string) => {
    const { params, buy, value } = toArguments(draft, account);
    const args = [{ ...params, contractURI: uri }, buy] as const;
    const data = encodeFunctionData({ abi: launchFactoryAbi, functionName: "launch", args });
    return [{ to: factory, data, value: `0x${value.toString(16)}` }];
  };
  review(withUri(toUri(json)));
  for (const other of [
    json.replace("{", '{"image":"https://evil.example/x.png",'),
    `\ufeff${json}`,
    `${json}${" ".repeat(40_000)}`,
    json.replace("}", ',"fee_recipient":0}'),
  ])
    expect([other.slice(0, 40), attempt(() => review(withUri(toUri(other))))]).toEqual([other.slice(0, 40), refused]);
});

test("C10-72 a creator signs a launch only with the types of a launch", async () => {
  const { Launch: fields, ...others } = launchTypes;
  for (const types of [{}, others, { ...others, Launch: fields.slice(1) }])
    await expect(askToSign(draft, expected.address, { types })).rejects.toMatchObject({ fault: "not_as_asked" });
});

test("C10-74 a launch uses only the splitter that pays the draft's recipients", async () => {
  const refuse = (...calls: Parameters<typeof review>[0][number][]) =>
    expect([calls.length, attempt(() => review(calls))]).toEqual([calls.length, refused]);
  refuse(prepare(draft, account, false, foreign.address));
  refuse(makeSplitter, prepare(draft, account, false, foreign.address));
  for (const call of [
    { ...makeSplitter, data: foreign.create.data },
    { ...makeSplitter, to: stranger },
    { ...makeSplitter, data: `${makeSplitter.data}00` },
    { ...createSplitter, data: foreign.creation },
    { ...createSplitter, to: stranger },
    // Permit2.approve, transferOwnership.
    ...["0x87517c45", "0xf2fde38b"].map((selector) => ({ ...makeSplitter, data: `${selector}${"00".repeat(128)}` })),
  ]) {
    refuse(call);
    refuse(call, prepare(draft));
  }
});

test("a draft that needs no recipients pays its creator, in every form of the draft's splitter", () => {
  const none = { ...draft, intent: { ...draft.intent, recipients: [], fee_bps: 10 } } as ReviewedDraft;
  const own = [{ provider: "wallet", wallet: account, share_bps: 10_000 }];
  const named = { ...draft, intent: { ...draft.intent, recipients: own } } as ReviewedDraft;
  expect(getDraftSplitter(none, account, contracts)).toEqual(getDraftSplitter(named, account, contracts));
  expect(toAllocations(none.intent, account)).toEqual(toAllocations(named.intent, account));
  expect(getDraftSplitter(none, friend, contracts)).not.toEqual(getDraftSplitter(none, account, contracts));
});

test("C10-74 a splitter of an earlier transaction is used only if its creation proves the draft's recipients", async () => {
  const at = address("77");
  const toCode = (creation: string) => `0x${creation.slice(creation.indexOf("363d3d373d3d3d363d73"))}`;
  const read = async (input: string, changed: { to?: string; contractAddress?: string; code?: string } = {}) => {
    const { to = null, contractAddress = at, code = toCode(input) } = changed;
    const provider = createFakeProvider({
      eth_getTransactionByHash: () => ({ to, input }),
      eth_getTransactionReceipt: () => ({ status: "0x1", contractAddress }),
      eth_getCode: () => code,
    });
    return await isCreatedSplitter(provider, { address: at, hash: "0x1" }, { draft, creator: account }, contracts);
  };
  expect(await read(expected.creation)).toBe(true);
  expect(await read(foreign.creation)).toBe(false);
  expect(await read(`0x00${expected.creation.slice(2)}`)).toBe(false);
  expect(await read(expected.creation, { to: stranger })).toBe(false);
  expect(await read(expected.creation, { contractAddress: stranger })).toBe(false);
  expect(await read(expected.creation, { code: toCode(foreign.creation) })).toBe(false);
  const unknown = createFakeProvider({ eth_getTransactionByHash: () => null });
  expect(await isCreatedSplitter(unknown, { address: at, hash: "0x1" }, { draft, creator: account }, contracts)).toBe(
    false,
  );
});
