import { StepError, type StepReceipt, type StepWallet } from "./stepWallet.ts";

type EthersReceipt = { status: number | null; hash: string; contractAddress: string | null };

/** The used part of an ethers `Wallet` or `JsonRpcSigner` with a provider. */
export type EthersSigner = {
  address: string;
  provider: {
    getNetwork(): Promise<{ chainId: bigint }>;
    getTransactionCount(address: string, blockTag: "latest" | "pending"): Promise<number>;
    waitForTransaction(hash: string): Promise<EthersReceipt | null>;
  } | null;
  sendTransaction(transaction: never): Promise<EthersResponse>;
};

type EthersResponse = { hash: string; wait(): Promise<EthersReceipt | null> };

/** The errors of `wait()`. Source: ethers 6, `utils/errors`. */
type WaitError = Error & {
  code?: string;
  reason?: string;
  hash?: string;
  receipt?: EthersReceipt | null;
};

/**
 * Creates the wallet of `runSteps` from a signer of ethers 6 that has a provider.
 *
 * @example
 * const wallet = ethersWallet(new Wallet(privateKey, new JsonRpcProvider(rpcUrl)));
 */
export function ethersWallet(signer: EthersSigner): StepWallet {
  const { address, provider } = signer;
  if (provider === null) throw new Error("The signer has no provider.");
  const sent = new Map<string, EthersResponse>();
  return {
    address,
    chainId: async () => Number((await provider.getNetwork()).chainId),
    // ethers refuses `gas`.
    send: async ({ chainId, from, to, data, value, gasLimit }) => {
      const response = await signer.sendTransaction({ chainId, from, to, data, value, gasLimit } as never);
      sent.set(response.hash, response);
      return response.hash as `0x${string}`;
    },
    confirm: async (hash) => {
      const response = sent.get(hash);
      sent.delete(hash);
      // `wait` also finds a replacement; after a restart only the hash is known.
      return toReceipt(hash, await (response?.wait().catch(readWaitError) ?? provider.waitForTransaction(hash)));
    },
    hasPending: async () => {
      const pending = await provider.getTransactionCount(address, "pending");
      return pending > (await provider.getTransactionCount(address, "latest"));
    },
  };
}

/** Returns the receipt of an error of `wait()`: of a transaction that reverted, or that has a higher fee. */
function readWaitError(error: WaitError): EthersReceipt | null {
  const { code, reason, receipt = null } = error;
  if (code === "CALL_EXCEPTION" || (code === "TRANSACTION_REPLACED" && reason === "repriced")) return receipt;
  if (code === "TRANSACTION_REPLACED")
    throw new StepError("replaced", "The wallet replaced the transaction.", (receipt?.hash ?? null) as null, {
      cause: error,
    });
  throw error;
}

function toReceipt(hash: string, receipt: EthersReceipt | null): StepReceipt {
  if (receipt === null) throw new Error(`The node has no receipt of ${hash}.`);
  const status = receipt.status === 1 ? "success" : "reverted";
  return { status, hash: receipt.hash as `0x${string}`, contractAddress: receipt.contractAddress };
}
