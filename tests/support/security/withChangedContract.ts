import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { TestStack } from "./startTestStack.ts";

/** Changes the code or a storage word of a contract while `work` runs. */
export async function withChangedContract(
  stack: TestStack,
  change: { address: string; code?: string; slot?: string; word?: string },
  work: () => Promise<void>,
): Promise<void> {
  const { address, code, slot, word } = change;
  const rpc = <T>(method: string, params: unknown[]) => rpcRequest<T>(stack.chain.rpcUrl, method, params);
  const oldCode = await rpc<string>("eth_getCode", [address, "latest"]);
  const oldWord = slot ? await rpc<string>("eth_getStorageAt", [address, slot, "latest"]) : null;
  if (code) await rpc("anvil_setCode", [address, code]);
  if (slot) await rpc("anvil_setStorageAt", [address, slot, word]);
  await rpc("evm_mine", []);
  try {
    await work();
  } finally {
    if (code) await rpc("anvil_setCode", [address, oldCode]);
    if (slot) await rpc("anvil_setStorageAt", [address, slot, oldWord]);
    await rpc("evm_mine", []);
  }
}
