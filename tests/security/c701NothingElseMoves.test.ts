import { maxPreparedLaunches } from "@slipway/protocol/intent";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  sendWithEthers,
  sendWithViem,
  storeDraft,
  trade,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import {
  type Asked,
  type AskedOptions,
  checkPrepared,
  type Launched,
  type PreparedDraft,
} from "../support/security/checkPrepared.ts";
import { createRandom, type Random, randomShares } from "../support/security/random.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { getVolume } from "../support/volume.ts";

/** The number of requests of a run; `C7_RUNS=10000` sends more. */
const runs = getVolume(300, "C7_RUNS", 2);
const seed = Number(process.env.C7_SEED ?? 20_261);
// No retry: after a timeout it would run beside this run, on the same drafts and the same chain.
const testOptions = { timeout: 60_000 + runs * 5_000, retry: 0 };
const oneEther = 10n ** 18n;

type Fixture = {
  stack: TestStack;
  drafts: PreparedDraft[];
  launches: (Launched & { payees: string[] })[];
  prepared: Map<PreparedDraft, number>;
};

/** Answers to a valid request without a transaction: nothing to do on the chain, or too little to trade. */
const harmless = new Set(["amount_too_small", "insufficient_balance"]);

describe.each(["swap_router_02", "swap_router"] as const)("C7-01 with %s", (routerKind) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await prepareFixture(await startTestStack({ routerKind }), createRandom(seed));
  });
  afterAll(async () => {
    await fixture?.stack.close();
  });

  test(
    `C7-01 of ${runs} random valid requests none gets a transaction that can move anything else`,
    testOptions,
    async () => {
      const random = createRandom(seed + 1);
      const seen: Record<string, number> = {};
      let boughtWithin = 0;
      for (let run = 0; run < runs; run++) {
        const asked = ask(fixture, random);
        if (asked.endpoint === "launch") await renewDraft(fixture, asked.draft, random);
        const answer = await send(fixture.stack, asked, random);
        const outcome = await getOutcome(fixture.stack, asked, answer).catch((error: Error) => {
          const asText = JSON.stringify(asked, (_, value) => (typeof value === "bigint" ? `${value}` : value));
          error.message = `seed ${seed}, request ${run}: ${asText}\n${error.message}`;
          throw error;
        });
        seen[outcome] = (seen[outcome] ?? 0) + 1;
        if (outcome === "launch" && answer.body.transaction.value !== "0x0") boughtWithin++;
        if (answer.body.transaction) await sometimesSend(fixture.stack, asked, answer, random);
      }
      expect(boughtWithin).toBeGreaterThan(0);
      const kinds = ["create_splitter", "make_splitter", "launch", "approve", "swap", "collect", "settle", "release"];
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(kinds));
      expect(seen.refused ?? 0).toBeLessThan(runs / 5);
      console.info(`C7-01 ${routerKind}, seed ${seed}: ${JSON.stringify(seen)}`);
    },
  );
});

async function prepareFixture(stack: TestStack, random: Random): Promise<Fixture> {
  const launches: Fixture["launches"] = [];
  for (let i = 0; i < 3; i++) {
    const payees = [wallets[i]!.address, wallets[i + 1]!.address];
    const recipients = payees.map((wallet, k) => ({ provider: "wallet", wallet, share_bps: k === 0 ? 3_333 : 6_667 }));
    launches.push({ ...(await launchToken(stack, wallets[i]!, { recipients })), payees });
  }
  for (const wallet of wallets.slice(0, 5)) {
    await wrap(stack, wallet, 1_000n * oneEther);
    for (const { token } of launches) {
      await trade(stack, wallet, { token, side: "buy", amount_in: (oneEther / 10n).toString() });
    }
  }
  const drafts: PreparedDraft[] = [];
  for (let i = 0; i < 4; i++) drafts.push(await prepareDraft(stack, random, i));
  return { stack, drafts, launches, prepared: new Map() };
}

/** Replaces a draft with the maximum number of prepared launches. */
async function renewDraft({ stack, drafts, prepared }: Fixture, draft: PreparedDraft, random: Random): Promise<void> {
  const count = (prepared.get(draft) ?? 0) + 1;
  prepared.set(draft, count);
  if (count < maxPreparedLaunches) return;
  const index = drafts.indexOf(draft);
  drafts[index] = await prepareDraft(stack, random, index);
}

async function prepareDraft(stack: TestStack, random: Random, index: number): Promise<PreparedDraft> {
  const recipients = randomShares(random).map((share_bps, i) => ({
    ...(i % 2 ? { provider: "social", handle: `label-${i}` } : { provider: "wallet" }),
    wallet: getAddress(random.hex(20)),
    share_bps,
  }));
  const body = {
    name: ["Öre", 'A"quote\\', "日本の船", "x".repeat(64)][index % 4]!,
    symbol: "AbC123".slice(0, 1 + random.below(6)),
    image_uri: `https://cdn.example/${random.hex(8)}.png?a=1&b=%20`,
    ...(index % 2 ? { description: `Line one\nline "two" ${random.hex(30)} €` } : {}),
    ...(index > 1 ? { website: "https://example.org/#top" } : {}),
  };
  const intentId = await storeDraft(stack, { description: undefined, website: undefined, ...body, recipients });
  const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: wallets[5]!.address });
  await sendWithEthers(stack, split, wallets[5]!);
  return { intentId, splitter: split.body.expected.splitter, recipients, body };
}

function ask({ drafts, launches }: Fixture, random: Random): Asked {
  const wallet = random.pick(wallets.slice(0, 5)).address;
  const launch = random.pick(launches);
  switch (random.below(8)) {
    case 0:
      return {
        endpoint: "splits",
        wallet: random.hex(20),
        draft: random.pick(drafts),
        method: random.pick(["creation", "factory"] as const),
      };
    case 1:
      return {
        endpoint: "launch",
        wallet,
        draft: random.pick(drafts),
        salt: random.hex(32),
        options: createOptions(random),
      };
    case 2:
    case 3: {
      const stage = random.pick(["collect", "settle", "release"] as const);
      const assets = [launch.token, null];
      const asset = stage === "collect" ? null : random.pick(assets);
      const recipient = stage === "release" ? random.pick(launch.payees) : null;
      return { endpoint: "claim", wallet: random.pick([wallet, random.hex(20)]), launch, stage, asset, recipient };
    }
    default: {
      const side = random.pick(["buy", "sell"] as const);
      const amountIn = side === "buy" ? random.amount(10n ** 6n, oneEther) : random.amount(10n ** 12n, 10n ** 24n);
      return { endpoint: "trade", wallet, launch, side, amountIn, slippageBps: 1 + random.below(500) };
    }
  }
}

/** Sets each option in every second request. */
function createOptions(random: Random): AskedOptions {
  const recipient = random.pick([undefined, random.hex(20), wallets[9]!.address]);
  const links = { x: `https://x.com/${random.hex(4)}`, website2: `https://b.example/?q=${random.hex(4)}%22#%3C` };
  const amount = random.amount(10n ** 6n, 100n * oneEther).toString();
  return {
    ...(random.below(2)
      ? {
          initial_buy: {
            amount_in: amount,
            slippage_bps: 1 + random.below(500),
            ...(recipient === undefined ? {} : { recipient }),
          },
        }
      : {}),
    ...(random.below(2) ? { partner: random.hex(20) } : {}),
    ...(random.below(2) ? { links: random.below(2) ? links : { github: "https://github.com/tin" } } : {}),
    ...(random.below(2) ? { banner_uri: `ipfs://bafy${random.hex(3)}/banner.png` } : {}),
  };
}

/** The outcome of a valid request: a checked kind of transaction, nothing to do, or a harmless rejection. */
async function getOutcome(stack: TestStack, asked: Asked, { status, body }: Answer): Promise<string> {
  if (status === 200 && body.status === "ready") return await checkPrepared(stack, asked, body);
  if (status === 200 && body.status === "nothing_to_do" && body.transaction === null) return "nothing";
  if (status === 422 && harmless.has(body.error.code)) return "refused";
  throw new Error(`a valid request was answered ${status} ${JSON.stringify(body)}`);
}

async function send(stack: TestStack, asked: Asked, random: Random): Promise<Answer> {
  const anyCase = (address: string) => (random.below(2) ? address.toLowerCase() : getAddress(address.toLowerCase()));
  const wallet = anyCase(asked.wallet);
  switch (asked.endpoint) {
    case "splits":
      return await stack.call("POST", "/splits/transactions", {
        intent_id: asked.draft.intentId,
        wallet,
        // Without a method, the account's own creation transaction is prepared.
        ...(asked.method === "factory" ? { method: "factory" } : {}),
      });
    case "launch": {
      const { intentId: intent_id, splitter } = asked.draft;
      const put = await stack.call("PUT", `/intents/${intent_id}/options`, asked.options);
      expect(put.status, JSON.stringify(put.body)).toBe(200);
      const body = { intent_id, wallet, splitter: anyCase(splitter), salt: asked.salt };
      return await stack.call("POST", "/launch/transactions", body);
    }
    case "trade":
      return await stack.call("POST", "/trade/transactions", {
        token: anyCase(asked.launch.token),
        wallet,
        side: asked.side,
        amount_in: asked.amountIn.toString(),
        slippage_bps: asked.slippageBps,
      });
    case "claim":
      return await stack.call("POST", "/fees/claim-transactions", {
        token: anyCase(asked.launch.token),
        wallet,
        stage: asked.stage,
        ...(asked.asset ? { asset: anyCase(asked.asset) } : {}),
        ...(asked.recipient ? { recipient: anyCase(asked.recipient) } : {}),
      });
  }
}

/** Sends most approvals and some of the rest, so that allowances, prices and credits keep changing. */
async function sometimesSend(stack: TestStack, asked: Asked, answer: Answer, random: Random): Promise<void> {
  const owner = wallets.slice(0, 5).find(({ address }) => address === answer.body.transaction.from);
  if (!owner || asked.endpoint === "splits" || asked.endpoint === "launch") return;
  if (random.below(answer.body.action === "approve" ? 2 : 4) > 0 && answer.body.action !== "approve") return;
  const receipt = await (random.below(2) ? sendWithEthers : sendWithViem)(stack, answer, owner);
  expect(receipt.status).toBe("success");
}
