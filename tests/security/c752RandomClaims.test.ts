import type { Wallet } from "@slipway/dev/chain/wallets";
import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { sendableCalls } from "@slipway/sdk/sendable";
import { encodeDeployData, encodeFunctionData, getAddress, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { type BatchWallet, createContractWallet, createDelegatedWallet } from "../support/security/batchWallets.ts";
import {
  type AskedClaim,
  type AskedPayout,
  type ClaimLaunch,
  checkClaimAnswer,
  checkPayoutAnswer,
} from "../support/security/checkClaims.ts";
import { launchAgain, sendClaim } from "../support/security/claims.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { createRandom, type Random } from "../support/security/random.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { getVolume } from "../support/volume.ts";

/** The number of requests of a run; the deep tier is `C7_RUNS=10000`. */
const runs = getVolume(150, "C7_RUNS", 3);
const seed = Number(process.env.C7_SEED ?? 20_263);
// No retry: after a timeout it would run beside this run, on the same drafts and the same chain.
const testOptions = { timeout: 60_000 + runs * 5_000, retry: 0 };
const oneEther = 10n ** 18n;

/** A payee, and how it sends; without either way it only sends requests to the service. */
type Payee = { address: string; signer: Wallet | null; batch: BatchWallet | null };
type Fixture = { stack: TestStack; payees: Payee[]; launches: ClaimLaunch[]; unfit: string[]; fit: string[] };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await prepareFixture(await startTestStack());
});
afterAll(async () => {
  await fixture?.stack.close();
});

describe("C7-52", () => {
  test(
    `C7-52 of ${runs} random claims and payouts each moves only what is the wallet's, all of it, or is refused for a reason that holds`,
    testOptions,
    async () => {
      const random = createRandom(seed);
      const seen: Record<string, number> = {};
      for (let run = 0; run < runs; run++) {
        const isPayout = random.below(4) === 0;
        const asked = isPayout ? createPayout(fixture, random) : createClaim(fixture, random);
        const verdict = await ask(fixture, asked, random).catch((error: Error) => {
          error.message = `seed ${seed}, request ${run}: ${JSON.stringify(asked)}\n${error.message}`;
          throw error;
        });
        seen[verdict] = (seen[verdict] ?? 0) + 1;
        if (random.below(2) === 0) await changeChain(fixture, random);
      }
      console.info(`C7-52 seed ${seed}: ${JSON.stringify(seen)}`);
      const kinds = [
        "collect, settle, release, Multicall3",
        "collect, settle, release, calls only",
        "release, one call",
        "nothing",
        "payout: moved",
        "refused: not_recipient",
        "refused: recipient_cannot_receive",
      ];
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(kinds));
    },
  );
});

async function prepareFixture(stack: TestStack): Promise<Fixture> {
  const hostile = compileAttacker("HostileWallet");
  const refusing = await sendRaw(stack, wallets[5]!, {
    data: encodeDeployData({ abi: hostile.abi, bytecode: hostile.bytecode, args: [0, zeroAddress] }),
  });
  const delegated = await createDelegatedWallet(stack, wallets[4]!);
  await delegated.delegate();
  const contract = await createContractWallet(stack, wallets[5]!);
  const payees: Payee[] = [
    ...wallets.slice(0, 3).map((signer) => ({ address: signer.address, signer, batch: null })),
    { address: delegated.address, signer: null, batch: delegated },
    { address: getAddress(contract.address), signer: null, batch: contract },
    { address: getAddress(refusing.contractAddress!), signer: null, batch: null },
  ];
  const launches: ClaimLaunch[] = [];
  const everyone = payees.map(({ address }) => address);
  for (const members of [everyone, everyone.slice(0, 3), everyone.slice(2), [everyone[0]!]]) {
    const last = 10_000 - 1_111 * (members.length - 1);
    const recipients = members.map((wallet, i) => ({
      provider: "wallet",
      wallet,
      share_bps: i === members.length - 1 ? last : 1_111,
    }));
    const launched = await launchToken(stack, wallets[0]!, { recipients });
    launches.push({ ...launched, payees: members });
    // A second launch of the same splitter.
    if (launches.length < 3) {
      launches.push({ ...launched, token: await launchAgain(stack, wallets[0]!, launched), payees: members });
    }
  }
  await wrap(stack, wallets[6]!, 1_000n * oneEther);
  for (const { token } of launches) await trade(stack, wallets[6]!, { token, side: "buy", amount_in: `${oneEther}` });
  const { current, uniswap, multicall3 } = stack.manifest;
  const unfit = [
    ...["01", "09", "64"].map((short) => `0x${short.padStart(40, "0")}`),
    ...[uniswap.router, current.fee_locker, current.splitter_implementation, multicall3!].map(({ address }) => address),
    ...[stack.manifest.wrapped_native.address, ...launches.flatMap(({ token, splitter }) => [token, splitter])],
  ];
  return { stack, payees, launches, unfit, fit: [...everyone.slice(0, 5), wallets[8]!.address] };
}

function createClaim({ payees, launches }: Fixture, random: Random): AskedClaim {
  const { address } = random.pick(payees);
  const own = launches.filter((launch) => launch.payees.includes(address));
  // Mostly releases that pay the wallet.
  const from = random.below(6) === 0 ? launches : own;
  const chosen = from.filter(() => random.below(2) === 0);
  return {
    wallet: random.below(12) === 0 ? getAddress(random.hex(20)) : address,
    launches: chosen.length > 0 ? chosen : [random.pick(from)],
    unwrap: random.below(2) === 0,
    stages: random.below(4) === 0 ? "release" : "all",
    flaw: random.below(20) === 0 ? "a token twice" : null,
  };
}

function createPayout({ payees, launches, unfit, fit }: Fixture, random: Random): AskedPayout {
  const launch = random.pick(launches);
  const wallet = random.below(8) === 0 ? random.pick(payees).address : random.pick(launch.payees);
  if (random.below(5) === 0) return { wallet, launch, payout: random.pick(unfit), flaw: "an unfit payout" };
  return { wallet, launch, payout: random.pick([null, getAddress(random.hex(20)), random.pick(fit)]), flaw: null };
}

async function ask(current: Fixture, asked: AskedClaim | AskedPayout, random: Random): Promise<string> {
  const { stack, payees } = current;
  const anyCase = (address: string) => (random.below(2) ? address.toLowerCase() : getAddress(address as Hex));
  const payee = payees.find(({ address }) => address === asked.wallet);
  if ("payout" in asked) {
    const { launch, wallet, payout } = asked;
    const answer = await stack.call("POST", "/fees/payout-transactions", {
      token: anyCase(launch.token),
      wallet: anyCase(wallet),
      payout: payout === null ? null : anyCase(payout),
    });
    const verdict = await checkPayoutAnswer(stack, asked, answer);
    if (answer.body.transaction && payee?.signer && random.below(2)) await sendWithViem(stack, answer, payee.signer);
    return verdict;
  }
  const tokens = asked.launches.map(({ token }) => anyCase(token));
  const answer = await stack.call("POST", "/fees/claim-calls", {
    wallet: anyCase(asked.wallet),
    tokens: asked.flaw === null ? tokens : [...tokens, anyCase(asked.launches[0]!.token)],
    ...(asked.unwrap || random.below(2) ? { unwrap: asked.unwrap } : {}),
    ...(asked.stages === "release" || random.below(2) ? { stages: asked.stages } : {}),
  });
  const verdict = await checkClaimAnswer(stack, asked, answer);
  if (answer.status === 200 && answer.body.status === "ready" && random.below(4) === 0) {
    await sendAndCompare(stack, payee, answer);
  }
  return verdict;
}

async function sendAndCompare(stack: TestStack, payee: Payee | undefined, answer: Answer): Promise<void> {
  const { body } = answer;
  if (payee?.signer && body.transaction) {
    await sendClaim(stack, answer, async () => [await sendWithViem(stack, answer, payee.signer!)]);
  } else if (payee?.batch) {
    await sendClaim(stack, answer, () => payee.batch!.sendCalls(sendableCalls(body, payee.address)!));
  }
}

/** Trades, collects, or settles as another account. */
async function changeChain({ stack, launches }: Fixture, random: Random): Promise<void> {
  const { token } = random.pick(launches);
  const to = stack.manifest.current.fee_locker.address as Hex;
  const stranger = wallets[6]!;
  const assets = [token, stack.manifest.wrapped_native.address] as Hex[];
  const act = random.below(5);
  if (act < 3) {
    const side = random.pick(["buy", "sell"] as const);
    const amount = side === "buy" ? random.amount(10n ** 4n, oneEther) : random.amount(10n ** 12n, 10n ** 23n);
    await trade(stack, stranger, { token, side, amount_in: `${amount}`, slippage_bps: 500 });
    return;
  }
  const data =
    act === 3
      ? encodeFunctionData({ abi: feeLockerAbi, functionName: "collect", args: [token as Hex] })
      : encodeFunctionData({ abi: feeLockerAbi, functionName: "settle", args: [token as Hex, assets] });
  await sendRaw(stack, stranger, { to, data });
}
