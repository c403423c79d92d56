import type { Wallet } from "@slipway/dev/chain/wallets";
import { permitTypedData } from "@slipway/protocol/typedData";
import { sendableCalls } from "@slipway/sdk/sendable";
import { encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import {
  type BatchWallet,
  createContractWallet,
  createDelegatedWallet,
  createSequentialWallet,
} from "../support/security/batchWallets.ts";
import { type AskedTrade, checkTradeAnswer } from "../support/security/checkTradeCalls.ts";
import { findSalt } from "../support/security/findSalt.ts";
import { createRandom, type Random } from "../support/security/random.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { getVolume } from "../support/volume.ts";

/** The number of requests of a run; the deep tier is `C7_RUNS=10000`. */
const runs = getVolume(150, "C7_RUNS", 3);
const seed = Number(process.env.C7_SEED ?? 20_262);
// No retry: after a timeout it would run beside this run, on the same drafts and the same chain.
const testOptions = { timeout: 60_000 + runs * 5_000, retry: 0 };
const oneEther = 10n ** 18n;
const erc20 = parseAbi([
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function nonces(address owner) view returns (uint256)",
]);
const routerAbi = parseAbi(["function multicall(bytes[] data) payable returns (bytes[] results)"]);

/** A wallet that trades: how it signs, and how it sends its batches. */
type Trader = {
  address: Hex;
  hasCode: boolean;
  /** Null for an account without a key: it sends nothing. */
  signer: Wallet | null;
  batch: BatchWallet | null;
};
type Fixture = { stack: TestStack; traders: Trader[]; launches: { token: Hex; pool: Hex }[]; unfit: Hex[] };

describe.each(["swap_router_02", "swap_router"] as const)("C7-20 with %s", (routerKind) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await prepareFixture(await startTestStack({ routerKind }));
  });
  afterAll(async () => {
    await fixture?.stack.close();
  });

  test(
    `C7-20 of ${runs} random trades each is a batch that moves only what was asked for, or is refused for a reason that holds`,
    testOptions,
    async () => {
      const random = createRandom(routerKind === "swap_router" ? seed + 1 : seed);
      const seen: Record<string, number> = {};
      for (let run = 0; run < runs; run++) {
        const request = createRequest(fixture, random);
        const verdict = await runRequest(fixture, request, random).catch((error: Error) => {
          const asText = JSON.stringify(request.asked, (_, value) => (typeof value === "bigint" ? `${value}` : value));
          error.message = `seed ${seed}, request ${run}: ${asText}\n${error.message}`;
          throw error;
        });
        seen[verdict] = (seen[verdict] ?? 0) + 1;
        if (random.below(25) === 0) await leaveInRouter(fixture, random);
      }
      console.info(`C7-20 ${routerKind}, seed ${seed}: ${JSON.stringify(seen)}`);
      const kinds = [
        "buy: exact_input, refund",
        "buy: exact_output, refund",
        "sell: approve; exact_input, unwrap",
        "sell: permit, exact_input, unwrap",
        "refused: invalid_fields",
        "refused: signature_invalid",
        "refused: recipient_cannot_receive",
      ];
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(kinds));
      const refused = Object.entries(seen).filter(([name]) => name.startsWith("refused"));
      expect(refused.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan((runs * 2) / 3);
    },
  );
});

async function prepareFixture(stack: TestStack): Promise<Fixture> {
  const weth = stack.manifest.wrapped_native.address as Hex;
  const launches: Fixture["launches"] = [];
  // One of each order: a token below and a token above the wrapped native asset.
  for (const isToken0 of [true, false]) {
    launches.push(await launchToken(stack, wallets[0]!, {}, (prepared) => findSalt(stack, prepared, isToken0)));
  }
  const traders: Trader[] = wallets.slice(0, 4).map((wallet) => ({
    address: wallet.address,
    hasCode: false,
    signer: wallet,
    batch: createSequentialWallet(stack, wallet),
  }));
  const delegated = await createDelegatedWallet(stack, wallets[4]!);
  await delegated.delegate();
  traders.push({ address: delegated.address, hasCode: true, signer: wallets[4]!, batch: delegated });
  const contract = await createContractWallet(stack, wallets[5]!, 100n * oneEther);
  traders.push({ address: contract.address, hasCode: true, signer: wallets[5]!, batch: contract });

  const bank = wallets[6]!;
  await wrap(stack, bank, 1_000n * oneEther);
  const give = (asset: Hex, to: Hex, amount: bigint) =>
    sendRaw(stack, bank, {
      to: asset,
      data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to, amount] }),
    });
  for (const { address } of traders) await give(weth, address, 50n * oneEther);
  for (const { token } of launches) {
    await trade(stack, bank, { token, side: "buy", amount_in: oneEther.toString() });
    const held = await stack.deps.chain.client.readContract({
      address: token,
      abi: erc20,
      functionName: "balanceOf",
      args: [bank.address],
    });
    for (const { address } of traders) await give(token, address, held / 10n);
  }
  // This token is not on the chain.
  traders.push({ address: "0x000000000000000000000000000000000000bEEF", hasCode: false, signer: null, batch: null });
  const { current, uniswap, gas_station } = stack.manifest;
  const unfit = [
    ...["0x01", "0x02", "0x09", "0x64"].map((short) => `0x${short.slice(2).padStart(40, "0")}`),
    ...[uniswap.router, uniswap.quoter, uniswap.factory, current.launch_factory, current.fee_locker, gas_station!].map(
      ({ address }) => address,
    ),
    ...[weth, stack.stablecoin, ...launches.flatMap(({ token, pool }) => [token, pool])],
  ] as Hex[];
  return { stack, traders, launches, unfit };
}

type Request = {
  trader: Trader;
  asked: AskedTrade;
  /** The permit in the request: the offered one, or a changed one. */
  permit: "none" | "offered" | keyof typeof wrongPermits;
  /** Additional properties of the body that make it invalid. */
  more: Record<string, unknown>;
};

type Typed = { domain: any; message: Record<string, string> };
type Changed = Partial<{
  value: bigint;
  spender: Hex;
  nonce: bigint;
  chainId: number;
  deadline: bigint;
  signer: Wallet;
}>;

/** Permits that must be rejected, each with one change. */
const wrongPermits = {
  "a permit of another key": () => ({ signer: wallets[7]! }),
  "a permit of another amount": ({ message }: Typed) => ({ value: BigInt(message.value!) + 1n }),
  "a permit for another spender": () => ({ spender: wallets[7]!.address }),
  "a permit with another nonce": ({ message }: Typed) => ({ nonce: BigInt(message.nonce!) + 1n }),
  "a permit of another chain": () => ({ chainId: 1 }),
  "a permit that is too long": ({ message }: Typed) => ({ deadline: BigInt(message.deadline!) + 3_600n }),
  "a permit that has expired": ({ message }: Typed) => ({ deadline: BigInt(message.deadline!) - 1_800n }),
  "a permit with a high s": () => ({}),
} satisfies Record<string, (typed: Typed) => Changed>;

function createRequest({ traders, launches, unfit }: Fixture, random: Random): Request {
  const trader = random.pick(traders);
  const launch = random.pick(launches);
  const side = random.pick(["buy", "sell"] as const);
  const [small, large]: [bigint, bigint] = side === "buy" ? [10n ** 3n, 3n * oneEther] : [10n ** 9n, 10n ** 25n];
  const isInput = random.below(3) > 0;
  const amounts = isInput
    ? { amountIn: random.amount(small, large), slippageBps: 1 + random.below(500) }
    : {
        amountOut: side === "buy" ? random.amount(1n, 10n ** 24n) : random.amount(1n, oneEther / 2n),
        maximumIn: random.amount(large / 1_000n, large * 2n),
      };
  const recipients = [null, null, trader.address, wallets[8]!.address, random.hex(20)];
  const asked: AskedTrade = {
    ...launch,
    wallet: trader.address,
    hasCode: trader.hasCode,
    side,
    isNative: random.below(2) === 0,
    amounts,
    recipient: random.pick(recipients),
    permit: null,
    flaw: null,
  };
  const request: Request = { trader, asked, permit: "none", more: {} };
  if (side === "sell" && trader.signer && !trader.hasCode) {
    const wrong = Object.keys(wrongPermits) as (keyof typeof wrongPermits)[];
    request.permit = random.below(4) === 0 ? random.pick(wrong) : random.pick(["none", "offered", "offered"]);
  }
  switch (random.below(16)) {
    case 0:
      asked.flaw = "a mixture";
      request.more = isInput ? { amount_out: "1" } : { slippage_bps: 1 };
      break;
    case 1:
      asked.flaw = "a choice of the other side";
      request.more = side === "buy" ? { receive: "wrapped" } : { pay: "wrapped" };
      break;
    case 2:
    case 3:
      asked.flaw = "an unfit recipient";
      asked.recipient = random.pick(unfit);
      break;
    case 4:
      if (side === "buy" || !trader.hasCode) break;
      asked.flaw = "a permit by a wallet with code";
      request.more = { permit: { deadline: 2_000_000_000, signature: `0x${"11".repeat(64)}1b` } };
      break;
  }
  if (asked.flaw !== null) request.permit = "none";
  return request;
}

function toBody({ asked, more }: Request, random: Random): Record<string, unknown> {
  const anyCase = (address: string) => (random.below(2) ? address.toLowerCase() : getAddress(address.toLowerCase()));
  const { amounts, side, isNative, recipient, permit } = asked;
  const settlement = isNative ? "native" : random.pick(["wrapped", undefined]);
  return {
    token: anyCase(asked.token),
    wallet: anyCase(asked.wallet),
    side,
    ...("amountIn" in amounts
      ? { amount_in: `${amounts.amountIn}`, slippage_bps: amounts.slippageBps }
      : { amount_out: `${amounts.amountOut}`, maximum_in: `${amounts.maximumIn}` }),
    [side === "buy" ? "pay" : "receive"]: settlement,
    ...(recipient === null ? {} : { recipient: anyCase(recipient) }),
    ...(permit === null ? (random.below(4) ? {} : { permit: null }) : { permit }),
    ...more,
  };
}

/** Requests, checks, signs a permit if needed and requests again, and sometimes sends the result. */
async function runRequest(fixture: Fixture, request: Request, random: Random): Promise<string> {
  const { stack } = fixture;
  const { asked, trader } = request;
  let answer = await stack.call("POST", "/trade/calls", toBody(request, random));
  let verdict = await checkTradeAnswer(stack, asked, answer);
  const offered = answer.status === 200 ? answer.body.permit_typed_data : null;
  if (request.permit !== "none" && offered !== null) {
    asked.permit = await signPermit(stack, request, offered);
    if (request.permit !== "offered") asked.flaw = request.permit;
    answer = await stack.call("POST", "/trade/calls", toBody(request, random));
    verdict = await checkTradeAnswer(stack, asked, answer);
  }
  const isSent = answer.status === 200 && trader.batch !== null && random.below(5) === 0;
  if (!isSent) return verdict;
  await sendAndCompare(fixture, request, answer);
  return verdict;
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

async function signPermit(stack: TestStack, { asked, permit, trader }: Request, offered: Typed) {
  const changed: Changed = permit === "offered" || permit === "none" ? {} : wrongPermits[permit](offered);
  const { message, domain } = offered;
  const deadline = changed.deadline ?? BigInt(message.deadline!);
  const terms = {
    owner: trader.address,
    spender: changed.spender ?? (message.spender as Hex),
    value: changed.value ?? BigInt(message.value!),
    nonce: changed.nonce ?? BigInt(message.nonce!),
    deadline,
  };
  const chainId = changed.chainId ?? stack.manifest.chain_id;
  const typed = permitTypedData(terms, getAddress(asked.token), { name: domain.name, version: "1" }, chainId);
  const signer = changed.signer ?? trader.signer!;
  let signature: string = await signer.account.signTypedData(typed as never);
  if (permit === "a permit with a high s") {
    const r = signature.slice(0, 66);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.slice(130);
    signature = `${r}${(order - s).toString(16).padStart(64, "0")}${v === "1b" ? "1c" : "1b"}`;
  }
  return { deadline: Number(deadline), signature };
}

/** Sends a batch and compares the recipient's receipts with the promise of the answer. */
async function sendAndCompare({ stack }: Fixture, { asked, trader }: Request, answer: Answer): Promise<void> {
  const { body } = answer;
  const recipient = (asked.recipient ?? asked.wallet) as Hex;
  const { client } = stack.deps.chain;
  const isNativeOut = asked.side === "sell" && asked.isNative;
  const held = async () =>
    isNativeOut
      ? await client.getBalance({ address: recipient })
      : await client.readContract({
          address: body.quote.token_out,
          abi: erc20,
          functionName: "balanceOf",
          args: [recipient],
        });
  const before = await held();
  const receipts =
    body.transaction !== null && !trader.hasCode
      ? [await sendWithViem(stack, answer, trader.signer!)]
      : trader.hasCode
        ? await trader.batch!.sendCalls(sendableCalls(body, trader.address)!)
        : await createSequentialWallet(stack, trader.signer!).sendOneByOne(body);
  let gas = 0n;
  for (const { status, gasUsed, effectiveGasPrice, from } of receipts) {
    expect(status).toBe("success");
    if (isNativeOut && from.toLowerCase() === recipient.toLowerCase()) gas += gasUsed * effectiveGasPrice;
  }
  expect((await held()) - before + gas >= BigInt(body.expected.minimum_out)).toBe(true);
}

/** Leaves native, wrapped native or tokens in the router, as a stranger. */
async function leaveInRouter({ stack, launches }: Fixture, random: Random): Promise<void> {
  const router = stack.manifest.uniswap.router.address as Hex;
  const stranger = wallets[6]!;
  const asset = random.pick(["native", stack.manifest.wrapped_native.address, random.pick(launches).token]) as Hex;
  const amount = random.amount(1n, 10n ** 16n);
  if ((asset as string) === "native") {
    const data = encodeFunctionData({ abi: routerAbi, functionName: "multicall", args: [[]] });
    await sendRaw(stack, stranger, { to: router, data, value: amount });
    return;
  }
  const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [router, amount] });
  await sendRaw(stack, stranger, { to: asset, data });
}
