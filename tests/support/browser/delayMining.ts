import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Hex } from "viem";
import { sendSigned, type TestWallet } from "./testWallet.ts";

export type DelayedMining = {
  /** Signs and sends a transaction, which stays in the node's pool until `mine`. @returns the hash */
  send(wallet: TestWallet, transaction: object): Promise<Hex>;
  /** Mines the waiting transactions, and again each later one at once. */
  mine(): Promise<void>;
};

/**
 * Lets transactions of a wallet wait in the pool of a stack's chain. Each may use a whole block, and the blocks that the
 * heartbeat mines meanwhile have slightly less gas.
 */
export async function delayMining(rpcUrl: string): Promise<DelayedMining> {
  const rpc = <T>(method: string, params: unknown[] = []) => rpcRequest<T>(rpcUrl, method, params);
  const { gasLimit } = await rpc<{ gasLimit: Hex }>("eth_getBlockByNumber", ["latest", false]);
  return {
    async send({ account }, transaction) {
      await rpc("evm_setAutomine", [false]);
      // After a new block, the heartbeat mines none for some seconds. It could mine the transaction before the limit is lower.
      await rpc("evm_mine");
      const hash = await sendSigned({ rpcUrl, account }, { ...transaction, gas: gasLimit });
      await rpc("evm_setBlockGasLimit", [`0x${(Number(gasLimit) - 1).toString(16)}`]);
      return hash;
    },
    async mine() {
      await rpc("evm_setBlockGasLimit", [gasLimit]);
      await rpc("evm_setAutomine", [true]);
      await rpc("evm_mine");
    },
  };
}
