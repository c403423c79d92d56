import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface, keccak256, toUtf8Bytes } from "ethers";
import { getAddress } from "viem";
import { expect } from "vitest";
import type { Recipients } from "./actors.ts";
import { type Decoded, decodeIndependently } from "./decodeIndependently.ts";
import type { TestStack } from "./startTestStack.ts";

/** A launch that the run trades and claims with. */
export type Launched = { token: string; splitter: string; pool: string };
export type PreparedDraft = { intentId: string; splitter: string; recipients: Recipients; body: Record<string, any> };

/** Options of a draft, stored before its launch is requested. */
export type AskedOptions = {
  initial_buy?: { amount_in: string; slippage_bps: number; recipient?: string };
  partner?: string;
  links?: Record<string, string>;
  banner_uri?: string;
};

/** The request to the service, against which the answer is checked. */
export type Asked =
  | { endpoint: "splits"; wallet: string; draft: PreparedDraft; method?: "creation" | "factory" }
  | { endpoint: "launch"; wallet: string; draft: PreparedDraft; salt: string; options: AskedOptions }
  | { endpoint: "trade"; wallet: string; launch: Launched; side: "buy" | "sell"; amountIn: bigint; slippageBps: number }
  | {
      endpoint: "claim";
      wallet: string;
      launch: Launched;
      stage: "collect" | "settle" | "release";
      asset: string | null;
      recipient: string | null;
    };

const quoter = new Interface([
  "function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut,uint160 sqrtPriceX96After,uint32 ticks,uint256 gas)",
]);
const launchResult = new Interface(["function launch() returns (address token,address pool,uint256 amountOut)"]);
/** The emitter of native transfers in eth_simulateV1. */
const nativeAsset = getAddress("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const zero = "0x0000000000000000000000000000000000000000";
const marginSeconds = 2n;

/** Checks the bytes of a prepared transaction with the independent decoder, against the request. */
export async function checkPrepared(stack: TestStack, asked: Asked, body: any): Promise<Decoded["kind"]> {
  const { manifest } = stack;
  const transaction = body.transaction;
  const wallet = getAddress(asked.wallet);
  expect(transaction.from).toBe(wallet);
  expect(BigInt(transaction.chainId)).toBe(BigInt(manifest.chain_id));
  const value = asked.endpoint === "launch" ? BigInt(asked.options.initial_buy?.amount_in ?? 0) : 0n;
  expect(BigInt(transaction.value)).toBe(value);
  expect(BigInt(transaction.gas)).toBe(expectedGas(BigInt(body.simulation.gas_used)));
  expect(body.simulation.ok).toBe(true);
  expect(body.simulation.block_number).toBe(body.block_number);
  expect(body.manifest).toEqual({ sha256: stack.manifestSha256, chain_id: manifest.chain_id });

  const decoded = decodeIndependently(transaction);
  switch (decoded.kind) {
    case "create_splitter":
    case "make_splitter":
      checkSplitter(stack, asked, transaction, decoded);
      break;
    case "launch":
      await checkLaunch(stack, asked, body, decoded);
      break;
    case "approve":
      checkApproval(stack, asked, transaction, decoded);
      break;
    case "swap":
      await checkSwap(stack, asked, body, decoded);
      break;
    case "pay_owed":
    case "launch_for":
      throw new Error("nothing is owed, and no creator signs in these runs");
    default:
      checkClaim(stack, asked, transaction, decoded);
  }
  if (transaction.to !== undefined) {
    const spends = decoded.kind === "swap" ? { [decoded.tokenIn]: decoded.amountIn } : {};
    const native: Record<string, bigint> = value === 0n ? {} : { [nativeAsset]: value };
    expect(await outflows(stack, transaction, body.block_number)).toEqual({ ...spends, ...native });
  }
  return decoded.kind;
}

type Of<K extends Decoded["kind"]> = Extract<Decoded, { kind: K }>;

function checkSplitter(
  { manifest }: TestStack,
  asked: Asked,
  transaction: any,
  decoded: Of<"create_splitter" | "make_splitter">,
): void {
  if (asked.endpoint !== "splits") throw new Error("a splitter was not asked for");
  const { splitter_factory, splitter_implementation } = manifest.current;
  expect(decoded.kind).toBe(asked.method === "factory" ? "make_splitter" : "create_splitter");
  if (decoded.kind === "create_splitter") {
    expect(transaction.to).toBeUndefined();
    expect(decoded.implementation).toBe(splitter_implementation.address);
  } else {
    expect(transaction.to).toBe(splitter_factory.address);
    expect(decoded.salt).toBe(keccak256(toUtf8Bytes(asked.draft.intentId)));
  }
  expect(decoded.payees).toEqual(asked.draft.recipients.map((recipient) => getAddress(recipient.wallet)));
  expect(decoded.shares).toEqual(asked.draft.recipients.map(({ share_bps }) => share_bps));
}

async function checkLaunch(stack: TestStack, asked: Asked, body: any, decoded: Of<"launch">): Promise<void> {
  const { manifest } = stack;
  if (asked.endpoint !== "launch") throw new Error("a launch was not asked for");
  expect(body.transaction.to).toBe(manifest.current.launch_factory.address);
  const document = JSON.parse(Buffer.from(decoded.contractURI.split(",")[1]!, "base64").toString("utf8"));
  const { name, symbol, description, image_uri, website } = asked.draft.body;
  const optional = { ...(description ? { description } : {}), ...(website ? { external_link: website } : {}) };
  const { initial_buy: buy, partner, links = {}, banner_uri: banner } = asked.options;
  const { draft_commitment, ...content } = document;
  expect(content).toEqual({
    name,
    symbol,
    image: image_uri,
    ...optional,
    ...(banner ? { banner_image: banner } : {}),
    ...(Object.keys(links).length > 0 ? { links } : {}),
  });
  expect(draft_commitment).toMatch(/^0x[0-9a-f]{64}$/);
  expect(decoded).toMatchObject({
    name,
    symbol,
    splitter: getAddress(asked.draft.splitter),
    salt: asked.salt.toLowerCase(),
    partner: partner ? getAddress(partner) : zero,
    buyRecipient: buy ? getAddress(buy.recipient ?? asked.wallet) : zero,
  });
  const bought = await simulateInitialBuy(stack, body, decoded);
  expect(bought.received).toEqual(buy ? { [decoded.buyRecipient]: bought.amountOut } : {});
  expect(decoded.buyMinimumOut).toBe((bought.amountOut * BigInt(10_000 - (buy?.slippage_bps ?? 0))) / 10_000n);
  const { amount_out, minimum_out } = body.expected;
  expect([amount_out, minimum_out]).toEqual(
    buy ? [`${bought.amountOut}`, `${decoded.buyMinimumOut}`] : [undefined, undefined],
  );
}

/** The result of a launch at its block, and the receivers of tokens from its pool. */
async function simulateInitialBuy(stack: TestStack, { transaction, block_number, expected }: any, { kind }: Decoded) {
  const call = { from: transaction.from, to: transaction.to, input: transaction.data, value: transaction.value };
  const params = [{ blockStateCalls: [{ calls: [call] }] }, hex(block_number)];
  const [{ calls }] = await rpcRequest<[{ calls: any[] }]>(stack.chain.rpcUrl, "eth_simulateV1", params);
  const [token, pool, amountOut] = launchResult.decodeFunctionResult(kind, calls[0].returnData);
  expect([token, pool]).toEqual([expected.token, expected.pool]);
  const received: Record<string, bigint> = {};
  for (const { address, topics, data } of calls[0].logs) {
    if (topics[0] !== transferTopic || getAddress(address) !== token || BigInt(topics[1]) !== BigInt(pool)) continue;
    received[getAddress(`0x${topics[2].slice(26)}`)] = BigInt(data);
  }
  return { amountOut: amountOut as bigint, received };
}

function checkApproval({ manifest }: TestStack, asked: Asked, transaction: any, decoded: Of<"approve">): void {
  if (asked.endpoint !== "trade") throw new Error("an approval was not asked for");
  const tokenIn = asked.side === "buy" ? manifest.wrapped_native.address : getAddress(asked.launch.token);
  expect(transaction.to).toBe(tokenIn);
  expect(decoded.spender).toBe(manifest.uniswap.router.address);
  expect(decoded.amount).toBe(asked.amountIn);
}

async function checkSwap(stack: TestStack, asked: Asked, body: any, decoded: Of<"swap">): Promise<void> {
  if (asked.endpoint !== "trade") throw new Error("a swap was not asked for");
  expect(body.transaction.to).toBe(stack.manifest.uniswap.router.address);
  const pair = [stack.manifest.wrapped_native.address, getAddress(asked.launch.token)];
  const [tokenIn, tokenOut] = asked.side === "buy" ? pair : pair.reverse();
  const amountOut = await quote(stack, decoded, body.block_number);
  expect(decoded).toMatchObject({
    tokenIn,
    tokenOut,
    fee: 10_000n,
    recipient: getAddress(asked.wallet),
    amountIn: asked.amountIn,
    minimumOut: (amountOut * BigInt(10_000 - asked.slippageBps)) / 10_000n,
    priceLimit: 0n,
  });
  const time = await blockTime(stack, body.block_number);
  expect(decoded.deadline).toBeGreaterThan(time);
  expect(decoded.deadline).toBeLessThanOrEqual(time + 60n + marginSeconds);
}

function checkClaim(
  stack: TestStack,
  asked: Asked,
  transaction: any,
  decoded: Of<"collect" | "settle" | "release">,
): void {
  if (asked.endpoint !== "claim" || asked.stage !== decoded.kind) throw new Error("this stage was not asked for");
  const { fee_locker } = stack.manifest.current;
  const target = decoded.kind === "release" ? asked.launch.splitter : fee_locker.address;
  expect(transaction.to).toBe(getAddress(target));
  if (decoded.kind !== "release") expect(decoded.token).toBe(getAddress(asked.launch.token));
  if (decoded.kind === "release") expect(decoded.payee).toBe(getAddress(asked.recipient ?? asked.wallet));
  if (decoded.kind !== "collect") {
    const both = [getAddress(asked.launch.token), stack.manifest.wrapped_native.address];
    expect(decoded.assets).toEqual(asked.asset ? [getAddress(asked.asset)] : both);
  }
}

/** 1.2 times the simulated use, rounded up, and at least 30,000 more. */
function expectedGas(used: bigint): bigint {
  const larger = (used * 12n + 9n) / 10n;
  return larger > used + 30_000n ? larger : used + 30_000n;
}

async function quote(stack: TestStack, swap: Extract<Decoded, { kind: "swap" }>, block: string): Promise<bigint> {
  const data = quoter.encodeFunctionData("quoteExactInputSingle", [
    [swap.tokenIn, swap.tokenOut, swap.amountIn, swap.fee, 0n],
  ]);
  const to = stack.manifest.uniswap.quoter.address;
  const answer = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [{ to, data }, hex(block)]);
  return quoter.decodeFunctionResult("quoteExactInputSingle", answer)[0] as bigint;
}

async function blockTime(stack: TestStack, block: string): Promise<bigint> {
  const found = await rpcRequest<{ timestamp: string }>(stack.chain.rpcUrl, "eth_getBlockByNumber", [
    hex(block),
    false,
  ]);
  return BigInt(found.timestamp);
}

/** Returns the assets that leave the sender, with native, if the transaction runs on the state of its block. */
async function outflows(stack: TestStack, transaction: any, block: string): Promise<Record<string, bigint>> {
  const call = { from: transaction.from, to: transaction.to, input: transaction.data, value: transaction.value };
  const blockOverrides = { time: `0x${((await blockTime(stack, block)) + 1n).toString(16)}` };
  const [{ calls }] = await rpcRequest<[{ calls: [{ status: string; logs: any[] }] }]>(
    stack.chain.rpcUrl,
    "eth_simulateV1",
    [{ blockStateCalls: [{ blockOverrides, calls: [call] }], traceTransfers: true }, hex(block)],
  );
  expect(calls[0].status).toBe("0x1");
  const spent: Record<string, bigint> = {};
  for (const { address, topics, data } of calls[0].logs) {
    if (topics[0] !== transferTopic || BigInt(topics[1]) !== BigInt(transaction.from)) continue;
    const asset = getAddress(address);
    spent[asset] = (spent[asset] ?? 0n) + BigInt(data);
  }
  return spent;
}

const hex = (block: string) => `0x${BigInt(block).toString(16)}`;
