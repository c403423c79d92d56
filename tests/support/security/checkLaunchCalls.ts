import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface, keccak256, TypedDataEncoder, toUtf8Bytes } from "ethers";
import { getAddress } from "viem";
import { expect } from "vitest";
import type { Recipients } from "./actors.ts";
import { decodeIndependently } from "./decodeIndependently.ts";
import { getIssueTime } from "./getIssueTime.ts";
import type { Answer, TestStack } from "./startTestStack.ts";

/** A stored draft with its options, as sent. */
export type AskedDraft = {
  intentId: string;
  /** The draft as the service stores it. */
  intent: Record<string, unknown> & { name: string; symbol: string; image_uri: string; fee_bps: number };
  recipients: Recipients;
  creator: string | null;
  partner: string | null;
  links: Record<string, string>;
  bannerUri: string | null;
  initialBuy: { amountIn: bigint; slippageBps: number; recipient: string | null } | null;
};

/** A requested launch, against which the answer is checked. */
export type AskedLaunch = {
  draft: AskedDraft;
  wallet: string;
  salt: string;
  /** The splitter in the request; null for the factory's splitter. */
  splitter: string | null;
  authorization: { deadline: number; signature: string } | null;
  /** The reason why the request is invalid; null if it is valid. */
  flaw: keyof typeof refusals | null;
};

/** The error code of each flaw. */
export const refusals = {
  "a splitter of another draft": "splitter_mismatch",
  "a splitter of a creation transaction for a creator who signs": "splitter_mismatch",
  "a splitter that does not exist": "splitter_not_deployed",
  "a contract that is no splitter": "splitter_mismatch",
  "another account's draft": "draft_not_found",
  "an authorization of the wallet's own launch": "invalid_fields",
  "a signature of another key": "signature_invalid",
  "a signature over another draft": "signature_invalid",
  "a signature over another splitter": "signature_invalid",
  "a signature over another salt": "signature_invalid",
  "a signature over another value": "signature_invalid",
  "a signature over another minimum": "signature_invalid",
  "a signature over another recipient": "signature_invalid",
  "a signature over another partner": "signature_invalid",
  "a signature over another fee tier": "signature_invalid",
  "a signature of another chain": "signature_invalid",
  "a signature for another factory": "signature_invalid",
  "a deadline that was not signed": "signature_invalid",
  "a signature over another epoch": "signature_invalid",
  "an empty signature": "signature_invalid",
  "a signature with a high s": "signature_invalid",
  "a deadline that has passed": "quote_expired",
} as const;

const zero = "0x0000000000000000000000000000000000000000";
const erc20 = new Interface(["function balanceOf(address account) view returns (uint256)"]);
const splitterFactory = new Interface([
  "function predict(address[] payees, uint16[] shares, bytes32 salt) view returns (address)",
  "function isSplitter(address splitter) view returns (bool)",
]);
const launchFactory = new Interface([
  "function digestOf(address creator,(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps) params,(address recipient,uint256 minimumOut) buy,uint256 value,uint256 deadline) view returns (bytes32)",
  "event Launched(address indexed token,address indexed creator,address indexed splitter,address pool,string name,string symbol,string contractURI,int24 tickStart,int24 tickLower,int24 tickUpper,uint128 liquidity,uint16 totalFeeBps,uint16 protocolFeeBps,address partner,uint16 partnerShareBps,bytes32 salt)",
]);
const hex = (value: bigint | string | number) => `0x${BigInt(value).toString(16)}`;
const checksum = (address: string) => getAddress(address.toLowerCase());

/** JSON with sorted keys, from which the commitment to a draft is computed. */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${toCanonicalJson(one)}`).join(",")}}`;
}

/**
 * Checks the bytes of an answer with the independent decoder, against the request and the chain at its block.
 *
 * @returns the kind of answer, for counts.
 */
export async function checkLaunchAnswer(stack: TestStack, asked: AskedLaunch, answer: Answer): Promise<string> {
  const { status, body } = answer;
  if (status !== 200) return await checkRefusal(stack, asked, answer);
  expect(asked.flaw, "a flawed request is answered").toBeNull();
  const creator = checksum(asked.draft.creator ?? asked.wallet);
  const isOwn = creator === checksum(asked.wallet);
  expect(body.action).toBe("launch");
  expect(body.simulation).toMatchObject({ ok: true, method: "eth_simulateV1", block_number: body.block_number });
  expect(body.manifest).toEqual({ sha256: stack.manifestSha256, chain_id: stack.manifest.chain_id });
  const splitter = await readSplitter(stack, asked, body.block_number);
  expect(body.expected.splitter).toBe(splitter.address);
  if (!isOwn && asked.authorization === null) {
    await checkOffer(stack, asked, body, creator, splitter.address);
    return "signature_required";
  }
  expect([body.status, body.typed_data]).toEqual(["ready", null]);
  checkCalls(stack, asked, body, creator, splitter);
  await checkEffects(stack, asked, body, creator);
  return `${splitter.isMadeHere ? "make_splitter, " : ""}${isOwn ? "launch" : "launch_for"}`;
}

async function checkRefusal(stack: TestStack, asked: AskedLaunch, { status, body }: Answer): Promise<string> {
  expect(status).toBe(422);
  const { code } = body.error;
  expect([body.calls, body.transaction, body.typed_data]).toEqual([undefined, undefined, undefined]);
  if (code === "insufficient_balance") {
    const { needed, available } = body.error.details;
    expect(BigInt(needed)).toBe(asked.draft.initialBuy!.amountIn);
    expect(BigInt(available) < BigInt(needed)).toBe(true);
    const balance = await rpcRequest<string>(stack.chain.rpcUrl, "eth_getBalance", [asked.wallet, "latest"]);
    expect(BigInt(balance) < BigInt(needed)).toBe(true);
  } else {
    expect([asked.flaw, code]).toEqual([asked.flaw, asked.flaw === null ? "none" : refusals[asked.flaw]]);
  }
  return `refused: ${code}`;
}

type ReadSplitter = { address: string; isMadeHere: boolean };

/** Returns the required splitter of the launch: the one in the request, or the factory's prediction for the draft. */
async function readSplitter(stack: TestStack, asked: AskedLaunch, block: string): Promise<ReadSplitter> {
  if (asked.splitter !== null) return { address: checksum(asked.splitter), isMadeHere: false };
  const to = stack.manifest.current.splitter_factory.address;
  const call = async (name: string, args: unknown[]) => {
    const data = splitterFactory.encodeFunctionData(name, args);
    const returned = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [{ to, data }, hex(block)]);
    return splitterFactory.decodeFunctionResult(name, returned)[0];
  };
  const { recipients, intentId } = asked.draft;
  const payees = recipients.map(({ wallet }) => checksum(wallet));
  const shares = recipients.map(({ share_bps }) => share_bps);
  const address = await call("predict", [payees, shares, keccak256(toUtf8Bytes(intentId))]);
  return { address, isMadeHere: !(await call("isSplitter", [address])) };
}

/** Returns the required parts of the launch, except the initial buy's minimum, which only the simulation knows. */
function getParams({ draft, salt }: AskedLaunch, creator: string, splitter: string, contractURI: string) {
  const { name, symbol, description, image_uri, website } = draft.intent;
  const document = JSON.parse(Buffer.from(contractURI.split(",")[1]!, "base64").toString("utf8"));
  const committed = { creator: creator.toLowerCase(), domain: "slipway.draft.v1", draft_id: draft.intentId };
  const hasLinks = Object.keys(draft.links).length > 0;
  expect(document).toEqual({
    name,
    symbol,
    image: image_uri,
    ...(description ? { description } : {}),
    ...(website ? { external_link: website } : {}),
    ...(draft.bannerUri ? { banner_image: draft.bannerUri } : {}),
    ...(hasLinks ? { links: draft.links } : {}),
    draft_commitment: keccak256(toUtf8Bytes(toCanonicalJson({ ...committed, intent: draft.intent }))),
  });
  const partner = draft.partner === null ? zero : checksum(draft.partner);
  return { name, symbol, contractURI, splitter, salt: salt.toLowerCase(), partner, feeBps: draft.intent.fee_bps };
}

function getBuy({ initialBuy }: AskedDraft, creator: string, amountOut: string | undefined) {
  if (initialBuy === null) return { recipient: zero, minimumOut: 0n };
  const minimumOut = (BigInt(amountOut!) * BigInt(10_000 - initialBuy.slippageBps)) / 10_000n;
  return { recipient: checksum(initialBuy.recipient ?? creator), minimumOut };
}

const getValue = ({ draft }: AskedLaunch) => draft.initialBuy?.amountIn ?? 0n;

/**
 * Checks that the creator signs exactly the data that the chain's factory verifies, and that the answer has no other
 * data.
 */
async function checkOffer(
  stack: TestStack,
  asked: AskedLaunch,
  body: any,
  creator: string,
  splitter: string,
): Promise<void> {
  expect([body.status, body.calls, body.transaction]).toEqual(["signature_required", [], null]);
  const { domain, types, message, primaryType } = body.typed_data;
  const to = stack.manifest.current.launch_factory.address;
  expect(domain.verifyingContract).toBe(to);
  expect(primaryType).toBe("Launch");
  const params = getParams(asked, creator, splitter, message.params.contractURI);
  const buy = getBuy(asked.draft, creator, body.expected.amount_out);
  const block = await rpcRequest<{ timestamp: string }>(stack.chain.rpcUrl, "eth_getBlockByNumber", [
    hex(body.block_number),
    false,
  ]);
  const deadline = getIssueTime(body, block) + 1_200n;
  expect(message).toEqual({
    creator,
    params,
    buy: { recipient: buy.recipient, minimumOut: `${buy.minimumOut}` },
    value: `${getValue(asked)}`,
    deadline: `${deadline}`,
    epoch: "0",
  });
  const { EIP712Domain: _, ...structs } = types;
  const args = [creator, params, buy, getValue(asked), deadline];
  const data = launchFactory.encodeFunctionData("digestOf", args);
  const digest = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [{ to, data }, hex(body.block_number)]);
  expect(TypedDataEncoder.hash(domain, structs, message)).toBe(digest);
}

function checkCalls(stack: TestStack, asked: AskedLaunch, body: any, creator: string, splitter: ReadSplitter): void {
  const { current, chain_id } = stack.manifest;
  const { recipients, intentId } = asked.draft;
  const decoded = body.calls.map(({ to, data, value }: any) => ({
    to,
    value: BigInt(value),
    ...decodeIndependently({ to, data }),
  }));
  const launch = decoded.at(-1);
  const { contractURI, ...params } = getParams(asked, creator, splitter.address, launch.contractURI);
  const buy = getBuy(asked.draft, creator, body.expected.amount_out);
  const named = { ...params, contractURI, buyRecipient: buy.recipient, buyMinimumOut: buy.minimumOut };
  const value = getValue(asked);
  const signed = asked.authorization;
  const isOwn = creator === checksum(asked.wallet);
  const authorized = isOwn ? null : { creator, deadline: BigInt(signed!.deadline), signature: signed!.signature };
  expect(decoded).toEqual([
    ...(splitter.isMadeHere
      ? [
          {
            to: current.splitter_factory.address,
            value: 0n,
            kind: "make_splitter",
            payees: recipients.map(({ wallet }) => checksum(wallet)),
            shares: recipients.map(({ share_bps }) => share_bps),
            salt: keccak256(toUtf8Bytes(intentId)),
          },
        ]
      : []),
    {
      to: current.launch_factory.address,
      value,
      kind: isOwn ? "launch" : "launch_for",
      ...named,
      ...authorized,
    },
  ]);
  const { transaction, calls, simulation } = body;
  if (calls.length > 1) {
    expect(transaction).toBeNull();
    return;
  }
  const { from, chainId, gas, ...call } = transaction;
  expect([from, Number(chainId), call]).toEqual([checksum(asked.wallet), chain_id, calls[0]]);
  expect(BigInt(gas) > BigInt(simulation.gas_used)).toBe(true);
}

/** Runs the batch on its block: it launches as promised, for the creator, and costs the wallet exactly the value. */
async function checkEffects(stack: TestStack, asked: AskedLaunch, body: any, creator: string): Promise<void> {
  const { token, pool, splitter } = body.expected;
  const { current, wrapped_native } = stack.manifest;
  const wallet = checksum(asked.wallet);
  const recipient = getBuy(asked.draft, creator, body.expected.amount_out).recipient;
  const rpc = <T>(method: string, params: unknown[]) => rpcRequest<T>(stack.chain.rpcUrl, method, params);
  const block = await rpc<{ timestamp: string }>("eth_getBlockByNumber", [hex(body.block_number), false]);
  const balanceOf = (account: string) => ({
    from: wallet,
    to: token,
    input: erc20.encodeFunctionData("balanceOf", [account]),
  });
  const calls = [
    ...body.calls.map(({ to, data, value }: any) => ({ from: wallet, to, input: data, value })),
    balanceOf(recipient),
    balanceOf(current.launch_factory.address),
  ];
  const blockOverrides = { time: hex(BigInt(block.timestamp) + 1n) };
  type Result = { status: string; returnData: string; logs: { address: string; topics: string[]; data: string }[] };
  const [{ calls: results }] = await rpc<[{ calls: Result[] }]>("eth_simulateV1", [
    { blockStateCalls: [{ blockOverrides, calls }], traceTransfers: true },
    hex(body.block_number),
  ]);
  for (const { status } of results) expect(status).toBe("0x1");
  const launched = results
    .flatMap(({ logs }) => logs)
    .filter(({ address }) => checksum(address) === current.launch_factory.address)
    .map((log) => launchFactory.parseLog(log))
    .filter((log) => log?.name === "Launched");
  expect(launched).toHaveLength(1);
  expect(launched[0]!.args.toObject()).toMatchObject({ token, pool, creator, splitter });

  const [held, kept] = results.slice(body.calls.length).map(({ returnData }) => BigInt(returnData));
  expect(kept).toBe(0n);
  if (recipient !== zero) expect(held).toBe(BigInt(body.expected.amount_out));
  let paid = 0n;
  for (const { asset, from, to, amount } of body.simulation.asset_changes) {
    if (from === wallet) expect(asset).toBe(zero);
    if (from === wallet) paid += BigInt(amount);
    if (creator !== wallet) expect(from).not.toBe(creator);
    expect([token, zero, wrapped_native.address]).toContain(asset);
    const known = [wallet, creator, recipient, token, pool, zero, current.launch_factory.address];
    known.push(current.fee_locker.address, wrapped_native.address);
    expect([known.includes(from), known.includes(to)], `${from} to ${to}`).toEqual([true, true]);
  }
  expect(paid).toBe(getValue(asked));
}
