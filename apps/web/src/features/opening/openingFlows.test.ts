import { encodeOpen, encodeOpeningClaim, encodeOpeningDeposit, hashOpeningParams } from "@slipway/protocol/opening";
import { launchTypes } from "@slipway/protocol/signedTypes";
import { expect, test, vi } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createOpeningFlow, type OpeningOrder } from "./openingFlows.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [opening, factory, launchFactory, other] = [address("0e"), address("0f"), address("fa"), address("66")];
const contracts = { launch_factory: launchFactory, opening_factory: factory };
const refused = { fault: "not_as_asked" };
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
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

/** Creates the flow of an order with a service that returns `answers`. @param isOpening - The factory's answer. */
function createFlow(order: OpeningOrder, answers: object, isOpening = true) {
  const provider = createFakeProvider({
    eth_call: ([{ to }]) => {
      if (to === factory) return word(isOpening ? 1n : 0n);
      // The epoch of the creator at the launch factory.
      return to === opening ? hashOpeningParams(params) : word(0n);
    },
    eth_signTypedData_v4: () => signature,
  });
  const sender = { provider, address: account, chain: { id: 46630, factory: launchFactory, contracts } };
  const api = { getOpening: async () => ({ status: "ready" }), ...answers };
  const storage = { getItem: () => null, setItem: () => {} };
  return createOpeningFlow({ api: api as never, getSender: () => sender as never, storage }, order);
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

const open = { kind: "open", opening, wallet: account, value: "9", deadline } as const;
const message = {
  creator: account,
  params,
  buy: { recipient: opening, minimumOut: "3" },
  value: "9",
  deadline: String(deadline),
  epoch: "0",
};

/** Signs the launch, then prepares its transaction. */
async function prepareOpen(changedMessage: object, changedCall: object = {}) {
  const typed = {
    domain: { chainId: 46630, verifyingContract: launchFactory },
    types: launchTypes,
    primaryType: "Launch",
    message: { ...message, ...changedMessage },
  };
  const transaction = { to: opening, data: encodeOpen(params, 9n, 3n, signature), value: "0x0", ...changedCall };
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
    { buy: { recipient: account, minimumOut: "3" } },
    { value: "8" },
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
    { data: encodeOpen(params, 8n, 3n, signature) },
    { data: encodeOpen({ ...params, salt: `0x${"5b".repeat(32)}` }, 9n, 3n, signature) },
  ];
  for (const changed of calls) await expect(prepareOpen({}, changed)).rejects.toMatchObject(refused);
});
