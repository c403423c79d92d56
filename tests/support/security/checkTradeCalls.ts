import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface, TypedDataEncoder } from "ethers";
import { getAddress } from "viem";
import { expect } from "vitest";
import { type DecodedSwap, decodeTradeCall, type TradePart } from "./decodeTradeCall.ts";
import { getIssueTime } from "./getIssueTime.ts";
import type { TestStack } from "./startTestStack.ts";

/** A requested trade, against which the answer is checked. */
export type AskedTrade = {
  token: string;
  pool: string;
  wallet: string;
  hasCode: boolean;
  side: "buy" | "sell";
  isNative: boolean;
  amounts: { amountIn: bigint; slippageBps: number } | { amountOut: bigint; maximumIn: bigint };
  recipient: string | null;
  /** The permit in the request, with the wallet's own signature over the offered data. */
  permit: { deadline: number; signature: string } | null;
  /** The reason why the request is invalid; null if it is valid. */
  flaw: string | null;
};

const erc20 = new Interface([
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function nonces(address owner) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)",
]);
const quoter = new Interface([
  "function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut,uint160 sqrtPriceX96After,uint32 ticks,uint256 gas)",
  "function quoteExactOutputSingle((address tokenIn,address tokenOut,uint256 amount,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountIn,uint160 sqrtPriceX96After,uint32 ticks,uint256 gas)",
]);
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const nativeEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const native = "0x0000000000000000000000000000000000000000";
const routerItself = {
  swap_router: native,
  swap_router_02: "0x0000000000000000000000000000000000000002",
};

const hex = (value: bigint | string) => `0x${BigInt(value).toString(16)}`;

/** The chain at a block, read without the service. */
function openBlock(stack: TestStack, block: string) {
  const rpc = <T>(method: string, params: unknown[]) => rpcRequest<T>(stack.chain.rpcUrl, method, params);
  const call = (contract: Interface, to: string, name: string, args: unknown[]) =>
    rpc<string>("eth_call", [{ to, data: contract.encodeFunctionData(name, args) }, hex(block)]).then((answer) =>
      contract.decodeFunctionResult(name, answer),
    );
  return {
    rpc,
    balance: async (asset: string, account: string): Promise<bigint> =>
      asset === native
        ? BigInt(await rpc<string>("eth_getBalance", [account, hex(block)]))
        : (await call(erc20, asset, "balanceOf", [account]))[0],
    read: async (to: string, name: string, ...args: unknown[]) => (await call(erc20, to, name, args))[0],
    /** The other amount and the price after the trade; null if the pool cannot do it. */
    quote: async (asked: AskedTrade, [tokenIn, tokenOut]: readonly string[]): Promise<[bigint, bigint] | null> => {
      const isInput = "amountIn" in asked.amounts;
      const amount = "amountIn" in asked.amounts ? asked.amounts.amountIn : asked.amounts.amountOut;
      const name = isInput ? "quoteExactInputSingle" : "quoteExactOutputSingle";
      const params = [[tokenIn, tokenOut, amount, 10_000n, 0n]];
      try {
        const [other, price] = await call(quoter, stack.manifest.uniswap.quoter.address, name, params);
        // A swap without a price limit stops here: the pool has paid out its whole balance.
        const isEmpty = price <= 4295128740n || price >= 1461446703485210103287273052203988822378723970341n;
        return isEmpty ? null : [other, price];
      } catch {
        return null;
      }
    },
  };
}

type Trade = { pair: [string, string]; limit: bigint; paysNative: boolean; receivesNative: boolean; recipient: string };

function getTrade(stack: TestStack, asked: AskedTrade): Trade {
  const pair: [string, string] = [stack.manifest.wrapped_native.address, asked.token];
  const { amounts } = asked;
  return {
    pair: asked.side === "buy" ? pair : (pair.reverse() as [string, string]),
    limit: "amountIn" in amounts ? amounts.amountIn : amounts.maximumIn,
    paysNative: asked.side === "buy" && asked.isNative,
    receivesNative: asked.side === "sell" && asked.isNative,
    recipient: getAddress((asked.recipient ?? asked.wallet).toLowerCase()),
  };
}

/** The verdict on an answer, for the counts of a run. */
export type Verdict = string;

/** Checks an answer to a trade: the bytes and effects of a batch, the reason of a rejection. @throws if it is wrong */
export async function checkTradeAnswer(
  stack: TestStack,
  asked: AskedTrade,
  answer: { status: number; body: any },
): Promise<Verdict> {
  if (answer.status === 200) {
    if (asked.flaw !== null) throw new Error(`a request with ${asked.flaw} was answered with a batch`);
    return await checkBatch(stack, asked, answer.body);
  }
  if (answer.status !== 422) throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`);
  await explainRefusal(stack, asked, answer.body.error);
  return `refused: ${answer.body.error.code}`;
}

/** Flaws and their allowed error codes. */
const flawCodes: Record<string, string> = {
  "a mixture": "invalid_fields",
  "a choice of the other side": "invalid_fields",
  "an unfit recipient": "recipient_cannot_receive",
  "a permit of another key": "signature_invalid",
  "a permit of another amount": "signature_invalid",
  "a permit for another spender": "signature_invalid",
  "a permit with another nonce": "signature_invalid",
  "a permit of another chain": "signature_invalid",
  "a permit that is too long": "signature_invalid",
  "a permit with a high s": "signature_invalid",
  "a permit by a wallet with code": "signature_invalid",
  "a permit that has expired": "quote_expired",
};

async function explainRefusal(stack: TestStack, asked: AskedTrade, error: any): Promise<void> {
  const { code, details } = error;
  if (asked.flaw !== null && flawCodes[asked.flaw] === code) return;
  const { pair, limit, paysNative } = getTrade(stack, asked);
  const block = details?.block_number ?? (await rpcRequest<string>(stack.chain.rpcUrl, "eth_blockNumber"));
  const chain = openBlock(stack, block);
  const quoted = await chain.quote(asked, pair);
  const { amounts } = asked;
  switch (code) {
    case "insufficient_balance": {
      const needed = paysNative || "amountIn" in amounts ? limit : (quoted?.[0] ?? 0n);
      const held = await chain.balance(paysNative ? native : pair[0], asked.wallet);
      if (held < needed && details.available === `${held}` && details.needed === `${needed}`) return;
      break;
    }
    case "amount_too_small":
      if (quoted && "amountIn" in amounts && (quoted[0] * BigInt(10_000 - amounts.slippageBps)) / 10_000n === 0n)
        return;
      break;
    case "simulation_reverted":
      if (details.reason === "insufficient_liquidity" && quoted === null) return;
      if (details.reason === "too_much_requested" && quoted && quoted[0] > limit) return;
      if (details.error === "Error" && details.args.reason === "AS" && quoted === null) return;
      break;
  }
  throw new Error(`a request${asked.flaw ? ` with ${asked.flaw}` : ""} was refused: ${JSON.stringify(error)}`);
}

async function checkBatch(stack: TestStack, asked: AskedTrade, body: any): Promise<Verdict> {
  const { manifest } = stack;
  const { pair, limit, paysNative, receivesNative, recipient } = getTrade(stack, asked);
  const [tokenIn, tokenOut] = pair;
  const router = manifest.uniswap.router.address;
  const kind = manifest.uniswap.router_kind;
  const wallet = getAddress(asked.wallet.toLowerCase());
  const chain = openBlock(stack, body.block_number);
  expect(body).toMatchObject({
    action: "swap",
    status: "ready",
    simulation: { ok: true, method: "eth_simulateV1", block_number: body.block_number },
    manifest: { sha256: stack.manifestSha256, chain_id: manifest.chain_id },
    quote: { block_number: body.block_number, settlement: asked.isNative ? "native" : "wrapped_native" },
  });

  // Checks the amounts.
  const [other] = (await chain.quote(asked, pair)) ?? [];
  if (other === undefined) throw new Error("a batch for a trade that the pool cannot do");
  const amounts =
    "amountIn" in asked.amounts
      ? {
          amountIn: asked.amounts.amountIn,
          amountOut: other,
          minimumOut: (other * BigInt(10_000 - asked.amounts.slippageBps)) / 10_000n,
        }
      : { amountIn: other, amountOut: asked.amounts.amountOut, minimumOut: asked.amounts.amountOut };
  expect(amounts.minimumOut > 0n && amounts.amountIn <= limit).toBe(true);
  expect(body.quote).toMatchObject({
    token_in: tokenIn,
    token_out: tokenOut,
    amount_in: `${amounts.amountIn}`,
    amount_out: `${amounts.amountOut}`,
    minimum_out: `${amounts.minimumOut}`,
  });
  expect(body.expected).toEqual({ amount_out: `${amounts.amountOut}`, minimum_out: `${amounts.minimumOut}` });

  // Checks the bytes.
  const allowance: bigint = await chain.read(tokenIn, "allowance", wallet, router);
  const isPermitted = asked.permit !== null;
  const needsApproval = !paysNative && !isPermitted && allowance < limit;
  const block = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [hex(body.block_number), false]);
  const swap: DecodedSwap = {
    tokenIn,
    tokenOut,
    fee: 10_000n,
    recipient: receivesNative ? routerItself[kind] : recipient,
    priceLimit: 0n,
  };
  const swapParts: TradePart[] = [
    ...(isPermitted ? [getPermitPart(asked, tokenIn, limit)] : []),
    "amountIn" in asked.amounts
      ? { kind: "exact_input", amountIn: amounts.amountIn, minimumOut: amounts.minimumOut, swap }
      : { kind: "exact_output", amountOut: amounts.amountOut, maximumIn: limit, swap },
    ...(receivesNative ? [{ kind: "unwrap" as const, minimum: amounts.minimumOut, recipient }] : []),
    ...(paysNative ? [{ kind: "refund" as const }] : []),
  ];
  const deadline = getIssueTime(body, block) + 60n;
  const decoded = body.calls.map(({ to, data, value }: any) => ({
    to,
    value: BigInt(value),
    ...decodeTradeCall(kind, data),
  }));
  expect(decoded).toEqual([
    ...(needsApproval
      ? [{ to: tokenIn, value: 0n, parts: [{ kind: "approve", spender: router, amount: limit }], deadlines: [] }]
      : []),
    { to: router, value: paysNative ? limit : 0n, parts: swapParts, deadlines: [deadline] },
  ]);
  checkTransaction(manifest.chain_id, wallet, body);
  await checkOfferedPermit(stack, asked, body, needsApproval, limit);
  await checkEffects(stack, asked, body, amounts);
  await checkPrices(chain, asked, body.quote, amounts, tokenIn);
  const names = swapParts.map((part) => part.kind).join(", ");
  return `${asked.side}: ${needsApproval ? "approve; " : ""}${names}`;
}

function getPermitPart({ permit }: AskedTrade, token: string, value: bigint): TradePart {
  const { deadline, signature } = permit!;
  const v = BigInt(`0x${signature.slice(130)}`);
  return {
    kind: "permit",
    token,
    value,
    deadline: BigInt(deadline),
    v: v < 27n ? v + 27n : v,
    r: signature.slice(0, 66),
    s: `0x${signature.slice(66, 130)}`,
  };
}

function checkTransaction(chainId: number, wallet: string, { transaction, calls, simulation }: any): void {
  if (calls.length > 1) {
    expect(transaction).toBeNull();
    return;
  }
  const { from, chainId: id, gas, ...call } = transaction;
  expect([from, Number(id), call]).toEqual([wallet, chainId, calls[0]]);
  const used = BigInt(simulation.gas_used);
  const larger = (used * 12n + 9n) / 10n;
  expect(BigInt(gas)).toBe(larger > used + 30_000n ? larger : used + 30_000n);
}

/** A permit is offered exactly if it replaces an approval; its digest must be that of the token's own domain. */
async function checkOfferedPermit(
  stack: TestStack,
  asked: AskedTrade,
  body: any,
  needsApproval: boolean,
  limit: bigint,
): Promise<void> {
  const typed = body.permit_typed_data;
  if (asked.side === "buy" || asked.hasCode || !needsApproval) {
    expect(typed).toBeNull();
    return;
  }
  const chain = openBlock(stack, body.block_number);
  const nonce: bigint = await chain.read(asked.token, "nonces", asked.wallet);
  const block = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [hex(body.block_number), false]);
  expect(typed.message).toEqual({
    owner: getAddress(asked.wallet.toLowerCase()),
    spender: stack.manifest.uniswap.router.address,
    value: `${limit}`,
    nonce: `${nonce}`,
    deadline: `${getIssueTime(body, block) + 1_800n}`,
  });
  expect(TypedDataEncoder.hashDomain(typed.domain)).toBe(await chain.read(asked.token, "DOMAIN_SEPARATOR"));
}

/** Runs the batch on its block and compares all balances before and after. */
async function checkEffects(
  stack: TestStack,
  asked: AskedTrade,
  body: any,
  amounts: { amountIn: bigint; amountOut: bigint; minimumOut: bigint },
): Promise<void> {
  const { pair, paysNative, receivesNative, recipient, limit } = getTrade(stack, asked);
  const router = stack.manifest.uniswap.router.address;
  const wallet = getAddress(asked.wallet.toLowerCase());
  const chain = openBlock(stack, body.block_number);
  const block = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [hex(body.block_number), false]);
  const paid = paysNative ? native : pair[0];
  const received = receivesNative ? native : pair[1];
  const accounts = [...new Set([wallet, recipient, router])];
  const assets = [pair[0], pair[1]];
  const reads = accounts.flatMap((account) =>
    assets.map((asset) => ({ account, asset, data: erc20.encodeFunctionData("balanceOf", [account]) })),
  );
  const calls = [
    ...body.calls.map(({ to, data, value }: any) => ({ from: wallet, to, input: data, value })),
    ...reads.map(({ asset, data }) => ({ from: wallet, to: asset, input: data })),
  ];
  const [{ calls: results }] = await chain.rpc<[{ calls: { status: string; logs: any[]; returnData: string }[] }]>(
    "eth_simulateV1",
    [
      {
        blockStateCalls: [{ blockOverrides: { time: hex(BigInt(block.timestamp) + 1n) }, calls }],
        traceTransfers: true,
      },
      hex(body.block_number),
    ],
  );
  for (const { status } of results) expect(status).toBe("0x1");
  const changes = new Map<string, bigint>();
  const add = (account: string, asset: string, amount: bigint) => {
    const key = `${account} ${asset}`;
    changes.set(key, (changes.get(key) ?? 0n) + amount);
  };
  const weth = stack.manifest.wrapped_native.address;
  const known = new Set([...accounts, asked.pool, weth].map((address) => address.toLowerCase()));
  for (const { address, topics, data } of results.flatMap(({ logs }) => logs)) {
    if (topics[0] !== transferTopic || BigInt(data) === 0n) continue;
    const from = getAddress(`0x${topics[1].slice(26)}`);
    const to = getAddress(`0x${topics[2].slice(26)}`);
    expect([known.has(from.toLowerCase()), known.has(to.toLowerCase())], `${from} to ${to}`).toEqual([true, true]);
    if (address.toLowerCase() !== nativeEmitter) continue;
    add(from, native, -BigInt(data));
    add(to, native, BigInt(data));
  }
  for (const [index, { account, asset }] of reads.entries()) {
    const after = BigInt(results[body.calls.length + index]!.returnData);
    add(account, asset, after - (await chain.balance(asset, account)));
  }
  const change = (account: string, asset: string) => changes.get(`${account} ${asset}`) ?? 0n;
  // Tokens that a stranger left in the router are included or spent first.
  const left = new Map<string, bigint>();
  for (const asset of [native, ...assets]) left.set(asset, await chain.balance(asset, router));
  const hasLeftovers = [...left.values()].some((amount) => amount > 0n);
  const gained = change(recipient, received);
  const spent = -change(wallet, paid);
  expect(spent <= limit && gained >= amounts.minimumOut).toBe(true);
  if (!hasLeftovers) expect([spent, gained]).toEqual([amounts.amountIn, amounts.amountOut]);
  for (const asset of [native, ...assets]) {
    expect(change(router, asset) <= 0n, `the router keeps ${asset}`).toBe(true);
    if (asset !== paid && asset !== received) expect(change(wallet, asset), `the wallet's ${asset}`).toBe(0n);
    if (asset !== received && recipient !== wallet) expect(change(recipient, asset)).toBe(0n);
  }
  const reported = body.simulation.asset_changes.filter(({ to }: any) => to === recipient);
  const total = reported.reduce(
    (sum: bigint, one: any) => (one.asset === received ? sum + BigInt(one.amount) : sum),
    0n,
  );
  expect(total >= amounts.minimumOut).toBe(true);
}

async function checkPrices(
  chain: ReturnType<typeof openBlock>,
  asked: AskedTrade,
  quote: any,
  { amountIn, amountOut }: { amountIn: bigint; amountOut: bigint },
  tokenIn: string,
): Promise<void> {
  const [tokens, wei] = asked.side === "buy" ? [amountOut, amountIn] : [amountIn, amountOut];
  const close = (a: number, b: number) => expect(Math.abs(a - b)).toBeLessThanOrEqual(Math.abs(b) * 1e-9);
  close(quote.effective_price, Number(wei) / Number(tokens));
  expect(BigInt(quote.fee_amount)).toBe((amountIn + 99n) / 100n);
  const weth = asked.side === "buy" ? tokenIn : quote.token_out;
  const isToken0 = BigInt(asked.token) < BigInt(weth);
  const root = Number((await chain.read(asked.pool, "slot0")) as bigint) / 2 ** 96;
  close(quote.price_before, isToken0 ? root * root : 1 / (root * root));
  const rises = quote.price_after - quote.price_before;
  expect(asked.side === "buy" ? rises >= 0 : rises <= 0).toBe(true);
}
