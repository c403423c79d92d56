import type { Wallet } from "@slipway/dev/chain/wallets";
import type { SendableCalls } from "@slipway/sdk/sendable";
import {
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  type TransactionReceipt,
} from "viem";
import { waitForReceipt } from "../../../dev/src/chain/rpcRequest.ts";
import { sendRaw } from "./actors.ts";
import { compileAttacker } from "./compileAttacker.ts";
import type { TestStack } from "./startTestStack.ts";

/** A wallet as a page sees it (EIP-5792): it sends calls from its own address. */
export type BatchWallet = {
  address: Hex;
  /** The status of the capability `atomic`. */
  atomic: "supported" | "unsupported";
  /** `wallet_sendCalls`. @throws an error with a code of EIP-5792 if the wallet rejects the batch. */
  sendCalls(batch: SendableCalls): Promise<TransactionReceipt[]>;
};

/** EIP-5792: the wallet cannot send the batch atomically. */
export const atomicityNotSupported = 5760;

const { abi, bytecode } = compileAttacker("BatchWallet");

const encodeBatch = ({ calls }: SendableCalls): Hex =>
  encodeFunctionData({
    abi,
    functionName: "execute",
    args: [calls.map(({ to, data, value }) => ({ to, data, value: BigInt(value) }))],
  });

/** A contract wallet with one owner. */
export async function createContractWallet(stack: TestStack, owner: Wallet, fundsInWei = 0n): Promise<BatchWallet> {
  const data = encodeDeployData({ abi, bytecode, args: [owner.address] });
  const { contractAddress } = await sendRaw(stack, owner, { data, value: fundsInWei });
  return {
    address: contractAddress!,
    atomic: "supported",
    sendCalls: async (batch) => [await sendRaw(stack, owner, { to: contractAddress!, data: encodeBatch(batch) })],
  };
}

/** An account that delegates to code (EIP-7702) from its first batch on. Its address has code after `delegate`. */
export async function createDelegatedWallet(
  stack: TestStack,
  wallet: Wallet,
): Promise<BatchWallet & { delegate(): Promise<void> }> {
  const deployed = await sendRaw(stack, wallet, { data: encodeDeployData({ abi, bytecode, args: [wallet.address] }) });
  const client = createWalletClient({ account: wallet.account, transport: http(stack.chain.rpcUrl) });
  const send = async (data: Hex, value: bigint, isDelegation: boolean) => {
    const chainId = stack.manifest.chain_id;
    const authorization = { contractAddress: deployed.contractAddress!, chainId, executor: "self" } as const;
    const authorizationList = isDelegation ? [await client.signAuthorization(authorization as never)] : undefined;
    const call = { to: wallet.address, data, value, gas: 12_000_000n, chain: null, authorizationList };
    return await waitForReceipt(stack.chain.rpcUrl, await client.sendTransaction(call as never));
  };
  return {
    address: wallet.address,
    atomic: "supported",
    delegate: async () => {
      await send("0x", 0n, true);
    },
    sendCalls: async (batch) => [await send(encodeBatch(batch), 0n, false)],
  };
}

/** A plain account: rejects atomic batches, and sends each call of another batch as a separate transaction. */
export function createSequentialWallet(stack: TestStack, wallet: Wallet): BatchWallet & { sendOneByOne: Sequential } {
  const sendOneByOne: Sequential = async ({ calls }) => {
    const receipts: TransactionReceipt[] = [];
    for (const { to, data, value } of calls) {
      receipts.push(await sendRaw(stack, wallet, { to, data, value: BigInt(value) }));
    }
    return receipts;
  };
  return {
    address: wallet.address,
    atomic: "unsupported",
    sendCalls: async ({ atomicRequired }) => {
      throw Object.assign(new Error(`atomicRequired is ${atomicRequired}`), { code: atomicityNotSupported });
    },
    sendOneByOne,
  };
}

type Sequential = (batch: Pick<SendableCalls, "calls">) => Promise<TransactionReceipt[]>;
