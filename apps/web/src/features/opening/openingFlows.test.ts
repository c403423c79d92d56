import { defaultLaunchConstants } from "@slipway/protocol/contracts/launchConstants";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import {
  computeOpeningBuy,
  encodeOpen,
  encodeOpeningClaim,
  encodeOpeningDeposit,
  hashOpeningParams,
} from "@slipway/protocol/opening";
import { launchTypes } from "@slipway/protocol/signedTypes";
import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createOpeningFlow, type OpeningOrder } from "./openingFlows.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [opening, factory, launchFactory, other] = [address("0e"), address("0f"), address("fa"), address("66")];
const [uniswap, wrapped, token] = [address("0a"), address("0b"), address("0c")];
const contracts = {
  launch_factory: launchFactory,
  opening_factory: factory,
  uniswap_factory: uniswap,
  wrapped_native: wrapped,
};
const refused = { fault: "not_as_asked" };
const word = (value: bigint) => `0x${BigInt.asUintN(256, value).toString(16).padStart(64, "0")}`;
const params = {
  name: "Lock",
  symbol: "LOCK",
  contractURI: "data:,",
  splitter: address("5b"),
  salt: `0x${"5a".repeat(32)}` as const,
  partner: address("00"),
  feeBps: 100,
};
const signature = `0x${"11".repeat(65)}` as const;
const deadline = 2_000_000_000;

const startTick = Number(defaultLaunchConstants.startTick);
const tier = { feeBps: params.feeBps, tickSpacing: 200 };
const value = 10n ** 18n + 7n;
/** The exact output of the launch, and the output if the token were the other one of the pool. */
const [output, otherOutput] = [false, true].map((isToken0) => computeOpeningBuy(startTick, tier, value, isToken0)) as [
  bigint,
  bigint,
];
const [startTickCall, predictCall] = [
  encodeCall({ abi: launchFactoryAbi, functionName: "START_TICK" }),
  encodeCall({ abi: launchFactoryAbi, functionName: "predict", args: [account, params] }),
];

/** Creates the flow of an order with a service that returns `answers`. @param isOpening - The factory's answer. */
function createFlow(order: OpeningOrder, answers: object, isOpening = true) {
  const provider = createFakeProvider({
    eth_call: ([{ to, data }]) => {
      if (to === factory) return word(isOpening ? 1n : 0n);
      if (to === uniswap) return word(BigInt(tier.tickSpacing));
      if (data === startTickCall) return word(BigInt(startTick));
      if (data === predictCall) return `${word(BigInt(token))}${word(1n).slice(2)}`;
      // The epoch of the creator at the launch factory.
      return to === opening ? hashOpeningParams(params) : word(0n);
    },
    eth_signTypedData_v4: () => signature,
  });
  const sender = { provider, address: account, chain: { id: 46630, factory: launchFactory, contracts } };
  const api = { getOpening: async () => ({ status: "ready" }), ...answers };
  const storage = { getItem: () => null, setItem: () => {} };
  const timing = { wait: async () => {} };
  return createOpeningFlow({ api: api as never, getSender: () => sender as never, timing, storage }, order);
}
const prepare = (flow: ReturnType<typeof createFlow>) => flow.prepare(new AbortController().signal);

const deposit = { kind: "deposit", opening, wallet: account, amount: "7" } as const;
const prepareDeposit = (changed: object, isOpening = true) => {
  const transaction = { to: opening, data: encodeOpeningDeposit(account), value: "0x7", ...changed };
  return prepare(createFlow(deposit, { prepareOpeningDeposit: vi.fn(async () => ({ transaction })) }, isOpening));
};

test("C10-65 a deposit pays exactly the chosen amount to an opening of the factory, for the wallet", async () => {
  await expect(prepareDeposit({})).resolves.toMatchObject({ kind: "transaction", name: "deposit_opening" });
  const changes = [
    { to: other },
    { to: undefined },
    { value: "0x8" },
    { data: encodeOpeningDeposit(other) },
    { data: `${encodeOpeningDeposit(account)}00` },
    { data: "0x" },
  ];
  for (const changed of changes) await expect(prepareDeposit(changed)).rejects.toMatchObject(refused);
  await expect(prepareDeposit({}, false)).rejects.toMatchObject(refused);
});

test("C10-65 a claim pays only the wallet", async () => {
  const prepareClaim = (data: string) => {
    const transaction = { to: opening, data, value: "0x0" };
    const answers = { prepareOpeningClaim: async () => ({ transaction }) };
    return prepare(createFlow({ kind: "claim", opening, wallet: account }, answers));
  };
  await expect(prepareClaim(encodeOpeningClaim({ account }))).resolves.toMatchObject({ name: "claim_opening" });
  for (const data of [encodeOpeningClaim({ to: other }), encodeOpeningClaim({ account: other }), "0x"])
    await expect(prepareClaim(data)).rejects.toMatchObject(refused);
});

test("a claim in the second of the end waits until the service prepares it, and ends once nothing is left", async () => {
  const transaction = { to: opening, data: encodeOpeningClaim({ account }), value: "0x0" };
  const claim = { kind: "claim", opening, wallet: account } as const;
  const toPart = (tokens: string, refund: string) => ({
    account: { claimable_tokens: tokens, claimable_refund: refund },
  });
  const prepareOpeningClaim = vi.fn(async () => ({ transaction: null as typeof transaction | null }));
  for (const part of [toPart("7", "0"), toPart("0", "7")]) {
    prepareOpeningClaim.mockResolvedValueOnce({ transaction: null }).mockResolvedValueOnce({ transaction });
    const flow = createFlow(claim, { prepareOpeningClaim, getOpening: async () => part });
    await expect(prepare(flow)).resolves.toMatchObject({ kind: "transaction", transaction });
  }
  expect(prepareOpeningClaim).toHaveBeenCalledTimes(4);
  const claimed = createFlow(claim, { prepareOpeningClaim, getOpening: async () => toPart("0", "0") });
  await expect(prepare(claimed)).resolves.toEqual({ kind: "done" });
  const stuck = createFlow(claim, { prepareOpeningClaim, getOpening: async () => toPart("7", "0") });
  await expect(prepare(stuck)).rejects.toMatchObject({ fault: "failed" });
});

const open = { kind: "open", opening, wallet: account, value: String(value), deadline } as const;
const message = {
  creator: account,
  params,
  buy: { recipient: opening, minimumOut: String(output) },
  value: String(value),
  deadline: String(deadline),
  epoch: "0",
};

/** Signs the launch, then prepares its transaction. */
async function prepareOpen(changedMessage: object, changedCall: object = {}, changedDomain: object = {}) {
  const domain = { name: "Slipway Launch Factory", version: "1", chainId: 46630, verifyingContract: launchFactory };
  const typed = {
    domain: { ...domain, ...changedDomain },
    types: launchTypes,
    primaryType: "Launch",
    message: { ...message, ...changedMessage },
  };
  const transaction = { to: opening, data: encodeOpen(params, value, output, signature), value: "0x0", ...changedCall };
  const flow = createFlow(open, {
    authorizeOpening: async () => ({ typed_data: typed }),
    prepareOpeningLaunch: async () => ({ transaction }),
  });
  const step = await prepare(flow);
  if (step.kind !== "signature") throw new Error("The first step is no signature.");
  await step.work();
  return await prepare(flow);
}

test("C10-66 a creator signs only the opening's own launch, and sends exactly what was signed", async () => {
  await expect(prepareOpen({})).resolves.toMatchObject({ kind: "transaction", name: "launch_opening" });
  const changes = [
    { creator: other },
    { buy: { recipient: account, minimumOut: String(output) } },
    { value: String(value - 1n) },
    { deadline: String(deadline + 1) },
    { params: { ...params, splitter: other } },
    { params: { ...params, feeBps: 50 } },
    { epoch: "1" },
  ];
  for (const changed of changes)
    await expect(prepareOpen(changed), JSON.stringify(changed)).rejects.toMatchObject(refused);
  const calls = [
    { to: launchFactory },
    { value: "0x1" },
    { data: encodeOpen(params, value - 1n, output, signature) },
    { data: encodeOpen(params, value, output - 1n, signature) },
    { data: encodeOpen({ ...params, salt: `0x${"5b".repeat(32)}` }, value, output, signature) },
  ];
  for (const changed of calls) await expect(prepareOpen({}, changed)).rejects.toMatchObject(refused);
});

test("C10-66 a creator signs only the exact output of the launch as its minimum, computed from the chain's own answers", async () => {
  expect(otherOutput).not.toBe(output);
  for (const minimum of [0n, 1n, output - 1n, output + 1n, otherOutput]) {
    const buy = { recipient: opening, minimumOut: String(minimum) };
    // The service sends what it let the creator sign.
    const data = encodeOpen(params, value, minimum, signature);
    await expect(prepareOpen({ buy }, { data }), String(minimum)).rejects.toMatchObject(refused);
  }
  for (const domain of [{ name: "Launch" }, { version: "2" }, { verifyingContract: other }])
    await expect(prepareOpen({}, {}, domain), JSON.stringify(domain)).rejects.toMatchObject(refused);
});
