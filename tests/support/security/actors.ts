import type { Wallet } from "@slipway/dev/chain/wallets";
import { Wallet as EthersWallet, JsonRpcProvider } from "ethers";
import { createWalletClient, type Hex, http, type TransactionReceipt } from "viem";
import { waitForReceipt } from "../../../dev/src/chain/rpcRequest.ts";
import { getWallets } from "../../../dev/src/chain/wallets.ts";
import type { Account, Answer, TestStack } from "./startTestStack.ts";

export const randomSalt = (): Hex => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}`;

/** The ten wallets from which only the tests send. */
export const wallets = getWallets("open");

/** Signs with viem. */
export async function sendWithViem(stack: TestStack, answer: Answer, wallet: Wallet): Promise<TransactionReceipt> {
  const { to, data, value, gas, chainId } = getTransaction(answer);
  const client = createWalletClient({ account: wallet.account, transport: http(stack.chain.rpcUrl) });
  const hash = await client.sendTransaction({
    chain: { id: Number(chainId), name: "local", nativeCurrency: native, rpcUrls: { default: { http: [] } } },
    to,
    data,
    value: BigInt(value),
    gas: BigInt(gas),
  } as never);
  return await waitForReceipt(stack.chain.rpcUrl, hash);
}

/** Signs with ethers, which the service does not use. Uses the answer's transaction unchanged. */
export async function sendWithEthers(stack: TestStack, answer: Answer, wallet: Wallet): Promise<TransactionReceipt> {
  const provider = new JsonRpcProvider(stack.chain.rpcUrl, undefined, { polling: true, pollingInterval: 20 });
  try {
    const { gas, from: _, ...rest } = getTransaction(answer);
    const signer = new EthersWallet(wallet.privateKey, provider);
    const sent = await signer.sendTransaction({ ...rest, chainId: BigInt(rest.chainId), gasLimit: gas });
    return await waitForReceipt(stack.chain.rpcUrl, sent.hash as Hex);
  } finally {
    provider.destroy();
  }
}

const native = { name: "Ether", symbol: "ETH", decimals: 18 };

function getTransaction(answer: Answer) {
  const transaction = answer.body?.transaction;
  if (!transaction) throw new Error(`there is nothing to sign: ${answer.status} ${JSON.stringify(answer.body)}`);
  return transaction as { chainId: Hex; from: Hex; to?: Hex; data: Hex; value: Hex; gas: Hex };
}

/** Sends a test's own call, without the service. */
export async function sendRaw(
  stack: { chain: Pick<TestStack["chain"], "rpcUrl"> },
  wallet: Wallet,
  call: { to?: Hex; data?: Hex; value?: bigint },
): Promise<TransactionReceipt> {
  const client = createWalletClient({ account: wallet.account, transport: http(stack.chain.rpcUrl) });
  const hash = await client.sendTransaction({ ...call, chain: null, gas: 12_000_000n } as never);
  return await waitForReceipt(stack.chain.rpcUrl, hash);
}

/** Wraps native for a wallet. */
export async function wrap(stack: TestStack, wallet: Wallet, amountInWei: bigint): Promise<void> {
  const to = stack.manifest.wrapped_native.address as Hex;
  await sendRaw(stack, wallet, { to, data: "0xd0e30db0", value: amountInWei });
}

export type Recipients = { provider: string; handle?: string; wallet: string; share_bps: number }[];

/** Stores a draft. */
export async function storeDraft(stack: TestStack, more: Record<string, unknown> = {}, as?: Account): Promise<string> {
  const body = {
    name: "Tin Boat",
    symbol: "TIN",
    description: "Floats.",
    image_uri: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
    website: "https://tin.example/boat#mast",
    chain_id: stack.manifest.chain_id,
    recipients: [{ provider: "wallet", wallet: wallets[0]!.address, share_bps: 10_000 }],
    ...more,
  };
  const answer = await stack.call("POST", "/intents", body, as);
  if (answer.status !== 201) throw new Error(`the draft was refused: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

/**
 * Draft, splitter and launch through the service; resolves once the token is indexed.
 *
 * @param findSalt - Returns the salt, from the answer to the same launch with any salt. Default: any salt.
 */
export async function launchToken(
  stack: TestStack,
  creator: Wallet,
  more: Record<string, unknown> = {},
  findSalt?: (prepared: Answer) => Hex,
): Promise<{ intentId: string; splitter: Hex; token: Hex; pool: Hex }> {
  const intentId = await storeDraft(stack, more);
  const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
  await sendWithViem(stack, split, creator);
  const splitter = split.body.expected.splitter as Hex;
  const prepare = async (salt: Hex) =>
    await stack.call("POST", "/launch/transactions", {
      intent_id: intentId,
      wallet: creator.address,
      splitter,
      salt,
    });
  const prepared = await prepare(randomSalt());
  const launch = findSalt === undefined ? prepared : await prepare(findSalt(prepared));
  await sendWithViem(stack, launch, creator);
  const { token, pool } = launch.body.expected;
  await untilIndexed(stack, token);
  return { intentId, splitter, token, pool };
}

/**
 * Returns the bodies of POST /launch/calls for a draft with another creator than the sender: before and after the
 * creator has signed.
 */
export async function prepareSignedLaunch(
  stack: TestStack,
  creator: Wallet,
  sender: Wallet,
  options: Record<string, unknown> = {},
): Promise<{ unsigned: Record<string, unknown>; signed: Record<string, unknown> }> {
  const intentId = await storeDraft(stack);
  await stack.call("PUT", `/intents/${intentId}/options`, { creator: creator.address, ...options });
  const unsigned = { intent_id: intentId, wallet: sender.address, splitter: null, salt: randomSalt() };
  const { typed_data: typed } = (await stack.call("POST", "/launch/calls", unsigned)).body;
  const signature = await creator.account.signTypedData(typed);
  const { deadline, epoch } = typed.message;
  const authorization = { deadline: Number(deadline), epoch: Number(epoch), signature };
  return { unsigned, signed: { ...unsigned, authorization } };
}

/** Waits until the index has a token. */
export async function untilIndexed(stack: TestStack, token: string): Promise<void> {
  const query = "select 1 from chain.tokens where address = $1";
  const deadline = Date.now() + 60_000;
  while ((await stack.deps.db.read.query(query, [token.toLowerCase()])).rowCount === 0) {
    if (Date.now() > deadline) throw new Error(`the index does not have ${token}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Sends the approval, if needed, and the swap. */
export async function trade(
  stack: TestStack,
  wallet: Wallet,
  order: { token: string; side: "buy" | "sell"; amount_in: string; slippage_bps?: number },
  send: (stack: TestStack, answer: Answer, wallet: Wallet) => Promise<TransactionReceipt> = sendWithViem,
): Promise<{ answer: Answer; receipt: TransactionReceipt }> {
  const body = { slippage_bps: 100, ...order, wallet: wallet.address };
  for (let step = 0; step < 3; step++) {
    const answer = await stack.call("POST", "/trade/transactions", body);
    const receipt = await send(stack, answer, wallet);
    if (answer.body.action === "swap") return { answer, receipt };
  }
  throw new Error("no swap was offered after the approvals");
}
