import { StepError, type StepReceipt, type StepWallet } from "./stepWallet.ts";

type Hex = `0x${string}`;
type ViemReceipt = {
  status: "success" | "reverted";
  transactionHash: Hex;
  contractAddress?: string | null | undefined;
};

/** The used part of a viem `WalletClient`. */
export type ViemWalletClient = {
  account?: { address: Hex } | undefined;
  getChainId(): Promise<number>;
  sendTransaction(transaction: never): Promise<Hex>;
};

/** The used part of a viem `PublicClient`. */
export type ViemPublicClient = {
  getTransactionCount(request: never): Promise<number>;
  waitForTransactionReceipt(request: never): Promise<ViemReceipt>;
};

/**
 * Creates the wallet of `runSteps` from the clients of viem. The wallet client has an `account`.
 *
 * @example
 * const walletClient = createWalletClient({ account, chain, transport: http(rpcUrl) });
 * const wallet = viemWallet(walletClient, createPublicClient({ chain, transport: http(rpcUrl) }));
 */
export function viemWallet(walletClient: ViemWalletClient, publicClient: ViemPublicClient): StepWallet {
  const { account } = walletClient;
  if (account === undefined) throw new Error("The wallet client has no account.");
  const { address } = account;
  const count = (blockTag: "latest" | "pending") => publicClient.getTransactionCount({ address, blockTag } as never);
  return {
    address,
    chainId: () => walletClient.getChainId(),
    // `runSteps` has compared the chain, so that viem needs no `chain`.
    send: ({ to, data, value, gas }) =>
      walletClient.sendTransaction({ account, chain: null, to, data, value, gas } as never),
    confirm: async (hash): Promise<StepReceipt> => {
      let reason: string | null = null;
      const onReplaced = (replacement: { reason: string }) => {
        reason = replacement.reason;
      };
      const receipt = await publicClient.waitForTransactionReceipt({ hash, onReplaced } as never);
      if (reason === "cancelled" || reason === "replaced")
        throw new StepError("replaced", `The wallet replaced the transaction ${hash}.`, receipt.transactionHash);
      const { status, transactionHash, contractAddress = null } = receipt;
      return { status, hash: transactionHash, contractAddress };
    },
    hasPending: async () => (await count("pending")) > (await count("latest")),
  };
}
