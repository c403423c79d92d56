import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import type { SendableCalls } from "@slipway/sdk/sendable";
import {
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  type TransactionReceipt,
  type TypedDataDefinition,
} from "viem";
import { sendRaw } from "./actors.ts";
import type { BatchWallet } from "./batchWallets.ts";
import { compileAttacker } from "./compileAttacker.ts";
import type { TestStack } from "./startTestStack.ts";

const { abi, bytecode } = compileAttacker("SafeLike");

/** A wallet of several owners that works like a Safe. */
export type SafeWallet = BatchWallet & {
  /** Sends a call as the wallet's own transaction, signed by the required number of owners. */
  send(call: { to: Hex; data: Hex; value?: bigint }): Promise<TransactionReceipt>;
  /** Returns the owners' signatures of a digest, and of typed data, as `isValidSignature` accepts them (ERC-1271). */
  signDigest(digest: Hex): Promise<Hex>;
  sign(typed: object, owners?: readonly Wallet[]): Promise<Hex>;
  /** Approves typed data on the chain, so that its signature is empty. */
  approve(typed: object): Promise<TransactionReceipt>;
};

/** The chain of the wallet. */
type SafeChain = { chain: Pick<TestStack["chain"], "rpcUrl">; manifest: Pick<TestStack["manifest"], "chain_id"> };

/**
 * Creates a wallet of several owners. Any account may submit calls that the owners have signed.
 *
 * @param sender - The account that pays the gas; it need not be an owner.
 */
export async function createSafeWallet(
  stack: SafeChain,
  owners: readonly Wallet[],
  threshold: number,
  sender: Wallet,
  fundsInWei = 0n,
): Promise<SafeWallet> {
  const args = [owners.map(({ address }) => address), BigInt(threshold)];
  const data = encodeDeployData({ abi, bytecode, args });
  const address = (await sendRaw(stack, sender, { data, value: fundsInWei })).contractAddress!;
  const domain = { chainId: stack.manifest.chain_id, verifyingContract: address };
  const signAs = async (signers: readonly Wallet[], typed: object): Promise<Hex> => {
    const ordered = [...signers].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1)).slice(0, threshold);
    return concatHex(await Promise.all(ordered.map(({ account }) => account.signTypedData(typed as never))));
  };
  const send: SafeWallet["send"] = async ({ to, data: input, value = 0n }) => {
    const call = { to: address, data: encodeFunctionData({ abi, functionName: "nonce" }) };
    const nonce = BigInt(await rpcRequest<Hex>(stack.chain.rpcUrl, "eth_call", [call, "latest"]));
    const message = { to, value, data: input, nonce };
    const signatures = await signAs(owners, { domain, types: transactionTypes, primaryType: "SafeTx", message });
    const execute = encodeFunctionData({ abi, functionName: "execTransaction", args: [to, value, input, signatures] });
    return await sendRaw(stack, sender, { to: address, data: execute });
  };
  const signDigest = async (message: Hex, signers = owners) =>
    await signAs(signers, { domain, types: messageTypes, primaryType: "SafeMessage", message: { message } });
  return {
    address,
    atomic: "supported",
    send,
    sendCalls: async ({ calls }: SendableCalls) => {
      const batch = calls.map(({ to, data: input, value }) => ({ to, data: input, value: BigInt(value) }));
      return [await send({ to: address, data: encodeFunctionData({ abi, functionName: "multiSend", args: [batch] }) })];
    },
    signDigest: async (digest) => await signDigest(digest),
    sign: async (typed, signers) => await signDigest(hashTypedData(typed as TypedDataDefinition), signers),
    approve: async (typed) => {
      const digest = hashTypedData(typed as TypedDataDefinition);
      return await send({ to: address, data: encodeFunctionData({ abi, functionName: "approve", args: [digest] }) });
    },
  };
}

const transactionTypes = {
  SafeTx: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
    { name: "nonce", type: "uint256" },
  ],
};

const messageTypes = { SafeMessage: [{ name: "message", type: "bytes" }] };
