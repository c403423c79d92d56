import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface } from "ethers";
import { getAddress, type Hex } from "viem";
import { expect } from "vitest";
import { decodeAggregate, decodeClaimCall, decodePayout } from "./decodeClaim.ts";
import type { Answer, TestStack } from "./startTestStack.ts";

/** A launch of the run and the payees of its splitter. */
export type ClaimLaunch = { token: string; splitter: string; payees: string[] };

/** A requested claim, against which the answer is checked. */
export type AskedClaim = {
  wallet: string;
  launches: ClaimLaunch[];
  unwrap: boolean;
  stages: "all" | "release";
  /** The reason why the request is invalid; null if it is valid. */
  flaw: string | null;
};

export type AskedPayout = { wallet: string; launch: ClaimLaunch; payout: string | null; flaw: string | null };

const locker = new Interface(["function collect(address token)", "function settle(address token, address[] assets)"]);
const splitter = new Interface([
  "function release(address[] assets, address payee)",
  "function payoutOf(address payee) view returns (address)",
]);
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const native = "0x0000000000000000000000000000000000000000";
const nativeEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const unwrapped = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

const hex = (value: bigint | string) => `0x${BigInt(value).toString(16)}`;
const lower = (address: string) => address.toLowerCase();

type Transfer = { asset: string; from: string; to: string; amount: bigint };

/** Runs calls on a block, one after the other, and lists the transfers. */
async function run(
  stack: TestStack,
  block: string,
  calls: { from: string; to: string; data: string }[],
): Promise<{ statuses: string[]; transfers: Transfer[] }> {
  const input = calls.map(({ from, to, data }) => ({ from, to, input: data }));
  const [{ calls: results }] = await rpcRequest<[{ calls: { status: string; logs: any[] }[] }]>(
    stack.chain.rpcUrl,
    "eth_simulateV1",
    [{ blockStateCalls: [{ calls: input }], traceTransfers: true }, hex(block)],
  );
  const moved = results
    .flatMap(({ logs }) => logs)
    .filter(({ topics, data }) => topics[0] === transferTopic && BigInt(data) > 0n)
    .map(({ address, topics, data }) => ({
      asset: lower(address) === nativeEmitter ? native : lower(address),
      from: `0x${topics[1].slice(26)}`,
      to: `0x${topics[2].slice(26)}`,
      amount: BigInt(data),
    }));
  // anvil also reports native transfers of reverted calls: a splitter then wraps exactly that amount again.
  const weth = lower(stack.manifest.wrapped_native.address);
  const transfers = moved.filter(({ asset, from, amount }, i) => {
    const next = moved[i + 1];
    return !(
      asset === native &&
      next?.asset === native &&
      next.from === from &&
      next.to === weth &&
      next.amount === amount
    );
  });
  return { statuses: results.map(({ status }) => status), transfers };
}

/** Returns the amounts that splitters pay out, by asset and receiver. */
function sumPayments(transfers: readonly Transfer[], splitters: ReadonlySet<string>, weth: string) {
  const sums = new Map<string, bigint>();
  for (const { asset, from, to, amount } of transfers) {
    if (!splitters.has(from) || (asset === native && to === lower(weth))) continue;
    sums.set(`${asset} ${to}`, (sums.get(`${asset} ${to}`) ?? 0n) + amount);
  }
  return sums;
}

/** Returns all that a wallet can get from launches: each collected, settled and released separately by the wallet. */
async function computeReference(stack: TestStack, { wallet, launches, unwrap, stages }: AskedClaim, block: string) {
  const weth = stack.manifest.wrapped_native.address;
  const feeLocker = stack.manifest.current.fee_locker.address;
  const call = (to: string, contract: Interface, name: string, args: unknown[]) => ({
    from: wallet,
    to,
    data: contract.encodeFunctionData(name, args),
  });
  const settling = launches.flatMap(({ token }) => [
    call(feeLocker, locker, "collect", [token]),
    call(feeLocker, locker, "settle", [token, [token, weth]]),
  ]);
  const releases = launches.flatMap(({ token, splitter: to }) =>
    [token, unwrap ? unwrapped : weth].map((asset) => call(to, splitter, "release", [[asset], wallet])),
  );
  const { statuses, transfers } = await run(stack, block, [...(stages === "all" ? settling : []), ...releases]);
  for (const status of statuses) expect(status).toBe("0x1");
  return sumPayments(transfers, new Set(launches.map((launch) => lower(launch.splitter))), weth);
}

/** The verdict on an answer, for the counts of a run. */
export type Verdict = string;

/** Checks an answer to a claim: its bytes, its effects, and the omitted parts. @throws if it is wrong */
export async function checkClaimAnswer(stack: TestStack, asked: AskedClaim, answer: Answer): Promise<Verdict> {
  const { status, body } = answer;
  const foreign = asked.launches.find(({ payees }) => !payees.map(lower).includes(lower(asked.wallet)));
  if (status === 422) {
    const { code, details } = body.error;
    if (asked.flaw !== null) expect(code).toBe("invalid_fields");
    else expect([code, lower(details.token)]).toEqual(["not_recipient", lower(foreign?.token ?? "none")]);
    return `refused: ${code}`;
  }
  expect([status, asked.flaw, foreign]).toEqual([200, null, undefined]);
  const wallet = getAddress(lower(asked.wallet));
  expect(body).toMatchObject({ action: "claim", step: { index: 1, total: 1 }, next: null });
  const reference = await computeReference(stack, asked, body.block_number);
  const promised = new Map(
    body.expected.amounts.map(({ asset, to, amount }: any) => [`${lower(asset)} ${lower(to)}`, BigInt(amount)]),
  );
  expect(promised).toEqual(reference);
  if (reference.size === 0) {
    expect([body.status, body.transaction, body.calls]).toEqual(["nothing_to_do", null, []]);
    return "nothing";
  }
  expect(body.status).toBe("ready");
  const parts = checkCalls(stack, asked, wallet, body.calls);
  const effects = await run(
    stack,
    body.block_number,
    body.calls.map(({ to, data }: any) => ({ from: wallet, to, data })),
  );
  await checkEffects(stack, asked, effects, reference);
  const kind = await checkTransaction(stack, asked, wallet, body, reference);
  return `${parts}, ${kind}`;
}

/** Anyone may make each call, for the requested tokens and wallet only; each splitter occurs once. */
function checkCalls(stack: TestStack, asked: AskedClaim, wallet: string, calls: any[]): string {
  const weth = stack.manifest.wrapped_native.address;
  const feeLocker = stack.manifest.current.fee_locker.address;
  const tokens = asked.launches.map(({ token }) => getAddress(lower(token)));
  const released = new Set<string>();
  const kinds = new Set<string>();
  for (const call of calls) {
    expect(call.value).toBe("0x0");
    const part = decodeClaimCall(call);
    kinds.add(part.kind);
    switch (part.kind) {
      case "collect":
      case "settle": {
        expect(released.size, "a splitter is released from before all is settled").toBe(0);
        expect([part.to, tokens.includes(part.token as Hex), asked.stages]).toEqual([feeLocker, true, "all"]);
        const assets = part.kind === "settle" ? part.assets : [];
        for (const asset of assets) expect([part.token, weth]).toContain(asset);
        break;
      }
      case "release": {
        const own = asked.launches.filter((launch) => lower(launch.splitter) === lower(part.to));
        const allowed = [...own.map(({ token }) => getAddress(lower(token))), asked.unwrap ? unwrapped : weth];
        expect([part.payee, released.has(part.to), new Set(part.assets).size]).toEqual([
          wallet,
          false,
          part.assets.length,
        ]);
        for (const asset of part.assets) expect(allowed as string[]).toContain(asset);
        released.add(part.to);
        break;
      }
      default:
        throw new Error("nothing is owed in these runs");
    }
  }
  return [...kinds].join(", ");
}

async function checkEffects(
  stack: TestStack,
  asked: AskedClaim,
  { statuses, transfers }: Awaited<ReturnType<typeof run>>,
  reference: ReadonlyMap<string, bigint>,
): Promise<void> {
  for (const status of statuses) expect(status).toBe("0x1");
  const splitters = new Set(asked.launches.map(({ splitter: address }) => lower(address)));
  expect(sumPayments(transfers, splitters, stack.manifest.wrapped_native.address)).toEqual(reference);
  for (const { from } of transfers) expect(from).not.toBe(lower(asked.wallet));
}

/** The transaction has the same calls through Multicall3, or is the one call, or there is a reason for null. */
async function checkTransaction(
  stack: TestStack,
  asked: AskedClaim,
  wallet: string,
  { transaction, calls, simulation, warnings, block_number }: any,
  reference: ReadonlyMap<string, bigint>,
): Promise<string> {
  const codes = warnings.map(({ code }: any) => code);
  const multicall3 = stack.manifest.multicall3!.address;
  const paysNative = [...reference.keys()].some((key) => key.startsWith(native));
  if (transaction === null) {
    expect(codes).toContain("calls_only");
    // Native for a contract is possible only by the wallet's own call.
    expect([calls.length > 1, asked.unwrap, paysNative]).toEqual([true, true, true]);
    return "calls only";
  }
  const { from, to, data, value, gas, chainId } = transaction;
  expect([from, value, Number(chainId)]).toEqual([wallet, "0x0", stack.manifest.chain_id]);
  const used = BigInt(simulation.gas_used);
  const larger = (used * 12n + 9n) / 10n;
  expect(BigInt(gas)).toBe(larger > used + 30_000n ? larger : used + 30_000n);
  const isOne = calls.length === 1;
  if (isOne) expect([to, data]).toEqual([calls[0].to, calls[0].data]);
  else {
    expect(to).toBe(multicall3);
    expect(decodeAggregate(data)).toEqual(calls.map((call: any) => ({ to: call.to, data: call.data })));
  }
  const effects = await run(stack, block_number, [{ from: wallet, to, data }]);
  await checkEffects(stack, asked, effects, reference);
  for (const { from: payer, to: paid } of effects.transfers) {
    expect([payer, paid]).not.toContain(lower(multicall3));
  }
  return `${isOne ? "one call" : "Multicall3"}${codes.includes("unwrap_refused") ? ", refused" : ""}`;
}

/** Checks an answer to a payout request. @throws if it is wrong */
export async function checkPayoutAnswer(stack: TestStack, asked: AskedPayout, answer: Answer): Promise<Verdict> {
  const { status, body } = answer;
  const wallet = getAddress(lower(asked.wallet));
  const isPayee = asked.launch.payees.map(lower).includes(lower(wallet));
  if (status === 422) {
    const { code } = body.error;
    if (code === "not_recipient") expect(isPayee).toBe(false);
    else expect([code, asked.flaw]).toEqual(["recipient_cannot_receive", "an unfit payout"]);
    return `refused: ${code}`;
  }
  expect([status, asked.flaw, isPayee]).toEqual([200, null, true]);
  const data = splitter.encodeFunctionData("payoutOf", [wallet]);
  const params = [{ to: asked.launch.splitter, data }, hex(body.block_number)];
  const word = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", params);
  const present = BigInt(word) === 0n ? wallet : getAddress(`0x${word.slice(26)}`);
  const wanted = asked.payout === null ? wallet : getAddress(lower(asked.payout));
  if (present === wanted) {
    expect([body.status, body.transaction]).toEqual(["nothing_to_do", null]);
    return "payout: nothing";
  }
  expect([body.action, body.status]).toEqual(["set_payout", "ready"]);
  const { from, to, value, data: sent } = body.transaction;
  expect([from, to, value]).toEqual([wallet, getAddress(lower(asked.launch.splitter)), "0x0"]);
  expect(decodePayout(sent)).toBe(asked.payout === null ? native : wanted);
  expect(body.warnings[0].code).toBe("payout_changed");
  for (const named of [to, wanted]) expect(body.warnings[0].message).toContain(named);
  const { statuses, transfers } = await run(stack, body.block_number, [{ from, to, data: sent }]);
  expect([statuses, transfers]).toEqual([["0x1"], []]);
  return asked.payout === null ? "payout: back" : "payout: moved";
}
