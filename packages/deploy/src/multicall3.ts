import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, keccak256, parseEther, serializeTransaction } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import { readVendoredArtifact } from "./readArtifact.ts";

/** The address of Multicall3 on chains that have mined its presigned creation transaction. */
export const multicall3Address: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** keccak-256 of Multicall3's runtime code, which has no immutables and is the same on every chain. */
export const multicall3CodeHash: Hex = "0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891";

/** The sender recovered from the presigned transaction's signature; `multicall3FundsInWei` is the maximum gas cost. */
export const multicall3Sender: Address = "0x05f32B3cC3888453ff71B01135B34FF8e41263F2";
export const multicall3FundsInWei = parseEther("0.1");

/**
 * Returns the presigned creation transaction, without a chain id (before EIP-155), so that it is valid on every chain.
 */
function getPresignedTransaction(): Hex {
  return serializeTransaction(
    {
      type: "legacy",
      nonce: 0,
      gasPrice: 100_000_000_000n,
      gas: 1_000_000n,
      data: readVendoredArtifact("multicall3/Multicall3").bytecode,
    },
    {
      v: 28n,
      r: "0xedce47092c0f398cebf3ffc267f05c8e7076e3b89445e0fe50f6332273d4569b",
      s: "0x1b0b9d000e19b24c5869b0fc3b22b0d6fa47cd63316875cbbd577d76e6fde086",
    },
  );
}

/**
 * Finds Multicall3 at its usual address; null if the address has no code or other code.
 *
 * @throws DeployError `rpc_unavailable`.
 */
export async function findMulticall3(client: RpcClient): Promise<Address | null> {
  const code = (await callRpc(client, "eth_getCode", [multicall3Address, "latest"])) as Hex;
  return keccak256(code) === multicall3CodeHash ? multicall3Address : null;
}

/**
 * Sends the presigned transaction that creates Multicall3 at its usual address, and waits for its code. The sender's
 * balance must be at least `multicall3FundsInWei`.
 *
 * @throws DeployError `not_mined`, `rpc_unavailable`, or the node's error.
 */
export async function publishMulticall3(client: RpcClient, timeoutMs: number): Promise<Address> {
  await callRpc(client, "eth_sendRawTransaction", [getPresignedTransaction()]);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await findMulticall3(client);
    if (found !== null) return found;
    if (performance.now() > deadline) throw new DeployError("not_mined", "multicall3: not in a block yet");
    await sleep(10);
  }
}
