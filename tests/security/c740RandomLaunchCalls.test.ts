import type { Wallet } from "@slipway/dev/chain/wallets";
import { draftSplitterSalt, encodeCreateSplitter } from "@slipway/protocol/splitter";
import { sendableCalls } from "@slipway/sdk/sendable";
import { getAddress, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Recipients, sendRaw, sendWithViem, storeDraft, wallets } from "../support/security/actors.ts";
import {
  type BatchWallet,
  createContractWallet,
  createDelegatedWallet,
  createSequentialWallet,
} from "../support/security/batchWallets.ts";
import {
  type AskedDraft,
  type AskedLaunch,
  checkLaunchAnswer,
  type refusals,
} from "../support/security/checkLaunchCalls.ts";
import { createRandom, type Random, randomShares } from "../support/security/random.ts";
import { createSafeWallet } from "../support/security/safeWallet.ts";
import { type Account, type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { getVolume } from "../support/volume.ts";

/** The number of requests of a run; the deep tier is `C7_RUNS=10000`. */
const runs = getVolume(150, "C7_RUNS", 3);
const seed = Number(process.env.C7_SEED ?? 20_264);
// No retry: after a timeout it would run beside this run, on the same drafts and the same chain.
const testOptions = { timeout: 60_000 + runs * 5_000, retry: 0 };
const oneEther = 10n ** 18n;

/** An account that launches or signs: how it sends a batch, and how it signs typed data. */
type Launcher = {
  address: Hex;
  send: ((answer: Answer) => Promise<unknown>) | null;
  sign: ((typed: object) => Promise<Hex>) | null;
};
type Fixture = {
  stack: TestStack;
  launchers: Launcher[];
  drafts: AskedDraft[];
  foreign: AskedDraft;
  /** Splitters of creation transactions, by draft. */
  created: Map<string, string>;
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await prepareFixture(await startTestStack(), createRandom(seed));
});
afterAll(async () => {
  await fixture?.stack.close();
});

describe("C7-40", () => {
  test(
    `C7-40 of ${runs} random launches each is a batch that launches only what was asked for, or what its creator signs, or is refused for a reason that holds`,
    testOptions,
    async () => {
      const random = createRandom(seed + 1);
      const seen: Record<string, number> = {};
      const count = (verdict: string) => {
        seen[verdict] = (seen[verdict] ?? 0) + 1;
      };
      for (let run = 0; run < runs; run++) {
        const asked = createRequest(fixture, random);
        await runRequest(fixture, asked, random, count).catch((error: Error) => {
          const asText = JSON.stringify(asked, (_, value) => (typeof value === "bigint" ? `${value}` : value));
          error.message = `seed ${seed}, request ${run}: ${asText}\n${error.message}`;
          throw error;
        });
        if (random.below(10) === 0) await replaceDraft(fixture, random);
      }
      console.info(`C7-40, seed ${seed}: ${JSON.stringify(seen)}`);
      const kinds = [
        "make_splitter, launch",
        "launch",
        "make_splitter, launch_for",
        "launch_for",
        "signature_required",
      ];
      kinds.push("refused: signature_invalid", "refused: splitter_mismatch", "refused: splitter_not_deployed");
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(kinds));
    },
  );
});

const signWith = (wallet: Wallet) => (typed: object) => wallet.account.signTypedData(typed as never);
const sendWith =
  (wallet: BatchWallet) =>
  ({ body }: Answer) =>
    wallet.sendCalls(sendableCalls(body, wallet.address)!);

async function prepareFixture(stack: TestStack, random: Random): Promise<Fixture> {
  const launchers: Launcher[] = wallets.slice(0, 3).map((wallet) => ({
    address: wallet.address,
    send: ({ body }) => createSequentialWallet(stack, wallet).sendOneByOne(body),
    sign: signWith(wallet),
  }));
  const delegated = await createDelegatedWallet(stack, wallets[4]!);
  await delegated.delegate();
  launchers.push({ address: delegated.address, send: sendWith(delegated), sign: signWith(wallets[4]!) });
  const contract = await createContractWallet(stack, wallets[5]!, 100n * oneEther);
  launchers.push({ address: getAddress(contract.address), send: sendWith(contract), sign: null });
  const safe = await createSafeWallet(stack, wallets.slice(6, 9), 2, wallets[5]!, 100n * oneEther);
  launchers.push({ address: getAddress(safe.address), send: sendWith(safe), sign: safe.sign });
  // This account has nothing on the chain.
  launchers.push({ address: "0x000000000000000000000000000000000000bEEF", send: null, sign: null });

  const other = await stack.createAccount("other");
  const prepared = { stack, launchers, drafts: [] as AskedDraft[], created: new Map<string, string>() };
  const complete = { ...prepared, foreign: await prepareDraft(prepared, random, other) };
  for (let i = 0; i < 8; i++) await replaceDraft(complete, random, i);
  return complete;
}

async function prepareDraft(
  { stack, launchers }: Pick<Fixture, "stack" | "launchers">,
  random: Random,
  account?: Account,
): Promise<AskedDraft> {
  const recipients: Recipients = randomShares(random).map((share_bps) => ({
    provider: "wallet",
    wallet: getAddress(random.hex(20)),
    share_bps,
  }));
  const intentId = await storeDraft(
    stack,
    {
      name: random.pick(["Öre", 'A"quote\\', "日本の船", "Tin Boat"]),
      recipients,
      // Not from the random numbers, so that the requests of a seed stay the same.
      fee_bps: [100, 50, 30, 10][recipients.length % 4],
    },
    account,
  );
  const isPlain = random.below(3) === 0;
  const hasBuy = random.below(2) === 0;
  const draft = {
    intentId,
    recipients,
    creator: random.below(3) > 0 ? random.pick(launchers).address : null,
    partner: random.below(3) === 0 ? getAddress(random.hex(20)) : null,
    links: (random.below(2) ? { x: "https://x.com/tinboat", github: "https://github.com/tin/boat" } : {}) as Record<
      string,
      string
    >,
    bannerUri: random.below(2) ? "https://cdn.example/banner.png" : null,
    initialBuy: hasBuy
      ? {
          amountIn: random.amount(1_000n, 50n * oneEther),
          slippageBps: 1 + random.below(500),
          recipient: random.pick([null, wallets[3]!.address, getAddress(random.hex(20))]),
        }
      : null,
  };
  const path = `/intents/${intentId}`;
  const { creator, partner, links, bannerUri, initialBuy } = draft;
  if (!isPlain) {
    const options = {
      creator,
      partner,
      links,
      banner_uri: bannerUri,
      initial_buy: initialBuy && {
        amount_in: `${initialBuy.amountIn}`,
        slippage_bps: initialBuy.slippageBps,
        recipient: initialBuy.recipient,
      },
    };
    const stored = await stack.call("PUT", `${path}/options`, options, account);
    if (stored.status !== 200) throw new Error(`the options were refused: ${JSON.stringify(stored.body)}`);
  }
  const { intent } = (await stack.call("GET", path, undefined, account)).body;
  if (!isPlain) return { ...draft, intent };
  return { ...draft, intent, creator: null, partner: null, links: {}, bannerUri: null, initialBuy: null };
}

/** Replaces a draft by a new one; another account creates the splitter of every third draft. */
async function replaceDraft(fixture: Fixture, random: Random, index = random.below(fixture.drafts.length)) {
  const draft = await prepareDraft(fixture, random);
  fixture.drafts[index] = draft;
  const { stack } = fixture;
  const sender = wallets[9]!;
  if (random.below(3) === 0) {
    const allocations = draft.recipients.map(({ wallet, share_bps }) => ({
      payee: wallet as Hex,
      shareBps: share_bps,
    }));
    const data = encodeCreateSplitter(allocations, draftSplitterSalt(draft.intentId));
    await sendRaw(stack, sender, { to: stack.manifest.current.splitter_factory.address as Hex, data });
  }
  if (random.below(3) === 0) {
    const body = { intent_id: draft.intentId, wallet: sender.address };
    const split = await stack.call("POST", "/splits/transactions", body);
    await sendWithViem(stack, split, sender);
    fixture.created.set(draft.intentId, split.body.expected.splitter);
  }
}

type Flaw = keyof typeof refusals;
const signatureFlaws: Flaw[] = [
  "a signature of another key",
  "a signature over another draft",
  "a signature over another splitter",
  "a signature over another salt",
  "a signature over another value",
  "a signature over another minimum",
  "a signature over another recipient",
  "a signature over another partner",
  "a signature of another chain",
  "a signature for another factory",
  "a deadline that was not signed",
  "a signature over another epoch",
  "an empty signature",
  "a signature with a high s",
  "a deadline that has passed",
];

function createRequest({ stack, launchers, drafts, foreign, created }: Fixture, random: Random): AskedLaunch {
  const draft = random.pick(drafts);
  const own = created.get(draft.intentId);
  const asked: AskedLaunch = {
    draft,
    wallet: random.pick(launchers).address,
    salt: random.below(4) === 0 ? random.hex(32).toUpperCase().replace("0X", "0x") : random.hex(32),
    splitter: own !== undefined && random.below(2) === 0 ? own : null,
    authorization: null,
    flaw: null,
  };
  const isSigned = draft.creator !== null && draft.creator !== asked.wallet;
  if (isSigned && asked.splitter !== null) asked.flaw = "a splitter of a creation transaction for a creator who signs";
  const flaw = random.pick<Flaw | null>([
    ...Array.from({ length: 12 }, () => null),
    "a splitter of another draft",
    "a splitter that does not exist",
    "a contract that is no splitter",
    "another account's draft",
    "an authorization of the wallet's own launch",
  ]);
  const others = [...created].filter(([intentId]) => intentId !== draft.intentId);
  switch (flaw) {
    case "a splitter of another draft":
      if (others.length > 0) Object.assign(asked, { flaw, splitter: random.pick(others)[1] });
      break;
    case "a splitter that does not exist":
      if (!isSigned) Object.assign(asked, { flaw, splitter: random.hex(20) });
      break;
    case "a contract that is no splitter":
      Object.assign(asked, { flaw, splitter: stack.manifest.wrapped_native.address });
      break;
    case "another account's draft":
      Object.assign(asked, { flaw, draft: foreign, splitter: null });
      break;
    case "an authorization of the wallet's own launch":
      if (draft.creator !== null && draft.creator !== asked.wallet) break;
      Object.assign(asked, { flaw, authorization: { deadline: 2_000_000_000, signature: "0x" } });
      break;
    default:
  }
  return asked;
}

function toBody({ draft, wallet, salt, splitter, authorization }: AskedLaunch, random: Random) {
  const anyCase = (address: string) => (random.below(2) ? address.toLowerCase() : getAddress(address.toLowerCase()));
  const leftOut = (value: unknown, name: string) => (value === null && random.below(2) ? {} : { [name]: value });
  return {
    intent_id: draft.intentId,
    wallet: anyCase(wallet),
    salt,
    ...leftOut(splitter === null ? null : anyCase(splitter), "splitter"),
    ...leftOut(authorization, "authorization"),
  };
}

/** Requests, checks, has the creator sign if needed and requests again, and sometimes sends the result. */
async function runRequest(
  fixture: Fixture,
  asked: AskedLaunch,
  random: Random,
  count: (verdict: string) => void,
): Promise<void> {
  const { stack, launchers } = fixture;
  const ask = () => stack.call("POST", "/launch/calls", toBody(asked, random));
  let answer = await ask();
  count(await checkLaunchAnswer(stack, asked, answer));
  const signer = launchers.find(({ address }) => address === asked.draft.creator);
  if (answer.body.status === "signature_required" && signer?.sign) {
    if (random.below(3) === 0) asked.flaw = random.pick(signatureFlaws);
    asked.authorization = await authorize(fixture, asked, signer.sign, answer.body.typed_data);
    answer = await ask();
    count(await checkLaunchAnswer(stack, asked, answer));
  }
  const sender = launchers.find(({ address }) => address === asked.wallet)!;
  if (answer.body.status !== "ready" || sender.send === null || random.below(4) > 0) return;
  await sender.send(answer);
  expect(await stack.deps.chain.client.getCode({ address: answer.body.expected.token })).toBeDefined();
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Signs the offered data, or other data if the request has a flaw. */
async function authorize(
  { drafts }: Fixture,
  { flaw, draft }: AskedLaunch,
  sign: (typed: object) => Promise<Hex>,
  offered: any,
): Promise<{ deadline: number; signature: string }> {
  const { domain, message } = offered;
  const { params, buy } = message;
  const stranger = wallets[9]!.address;
  const withMessage = (more: object) => ({ ...offered, message: { ...message, ...more } });
  const withParams = (more: object) => withMessage({ params: { ...params, ...more } });
  const other = drafts.find(({ intentId }) => intentId !== draft.intentId)!;
  const document = `data:application/json;base64,${Buffer.from(JSON.stringify(other.intent)).toString("base64")}`;
  const past = withMessage({ deadline: "1000000000" });
  const changed: Partial<Record<Flaw, object>> = {
    "a signature over another draft": withParams({ contractURI: document }),
    "a signature over another splitter": withParams({ splitter: stranger }),
    "a signature over another salt": withParams({ salt: `0x${"00".repeat(32)}` }),
    "a signature over another value": withMessage({ value: `${BigInt(message.value) + 1n}` }),
    "a signature over another minimum": withMessage({ buy: { ...buy, minimumOut: `${BigInt(buy.minimumOut) + 1n}` } }),
    "a signature over another recipient": withMessage({ buy: { ...buy, recipient: stranger } }),
    "a signature over another partner": withParams({ partner: stranger }),
    "a signature over another fee tier": withParams({ feeBps: params.feeBps === 100 ? 30 : 100 }),
    "a signature of another chain": { ...offered, domain: { ...domain, chainId: 1 } },
    "a signature for another factory": { ...offered, domain: { ...domain, verifyingContract: stranger } },
    "a signature over another epoch": withMessage({ epoch: `${BigInt(message.epoch) + 1n}` }),
    "a deadline that has passed": past,
  };
  const typed = (flaw && changed[flaw]) ?? offered;
  let signature: string = await (flaw === "a signature of another key" ? signWith(wallets[9]!) : sign)(typed);
  if (flaw === "an empty signature") signature = "0x";
  if (flaw === "a signature with a high s") {
    const r = signature.slice(0, 66);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.slice(130, 132);
    signature = `${r}${(order - s).toString(16).padStart(64, "0")}${v === "1b" ? "1c" : "1b"}`;
  }
  const deadline = Number(flaw === "a deadline that has passed" ? 1_000_000_000 : message.deadline);
  return { deadline: flaw === "a deadline that was not signed" ? deadline - 1 : deadline, signature };
}
