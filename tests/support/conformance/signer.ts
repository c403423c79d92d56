import type { UnsignedResult } from "@slipway/protocol/transaction";
import { sendable } from "@slipway/sdk/sendable";
import { Contract, JsonRpcProvider, type TransactionReceipt, Wallet } from "ethers";

const pollMs = 40;

/** A wallet on a chain with ethers, a client that the service does not use. */
export type Signer = {
  address: string;
  provider: JsonRpcProvider;
  wallet: Wallet;
  /** Signs and sends a prepared step; resolves with its receipt, and rejects if it reverted. */
  send: (result: Pick<UnsignedResult, "transaction">) => Promise<TransactionReceipt>;
  /** Wraps native asset. */
  wrap: (weth: string, amountWei: bigint) => Promise<void>;
  close: () => void;
};

/** Opens a wallet on the chain of an endpoint. */
export function openSigner(rpcUrl: string, chainId: number, privateKey: string): Signer {
  const provider = new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: true,
    pollingInterval: pollMs,
    cacheTimeout: -1,
  });
  const wallet = new Wallet(privateKey, provider);
  const send: Signer["send"] = async (result) => {
    const transaction = sendable(result);
    if (transaction === null) throw new Error("there is nothing to sign");
    const sent = await wallet.sendTransaction(transaction);
    const receipt = await sent.wait();
    if (receipt === null || receipt.status !== 1) throw new Error(`${sent.hash} failed`);
    return receipt;
  };
  return {
    address: wallet.address,
    provider,
    wallet,
    send,
    wrap: async (weth, amountWei) => {
      const contract = new Contract(weth, ["function deposit() payable"], wallet);
      await (await contract.getFunction("deposit").send({ value: amountWei })).wait();
    },
    close: () => provider.destroy(),
  };
}
