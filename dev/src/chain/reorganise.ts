import { randomBytes } from "node:crypto";
import { rpcRequest } from "./rpcRequest.ts";

/**
 * Replaces the newest blocks of a local chain by empty blocks with other hashes.
 *
 * Anvil can otherwise mine the same block again: an empty block within the same second, at the lowest base fee, has the
 * same hash. Another address of the miner gives it another one.
 *
 * @param depth - The number of replaced blocks.
 */
export async function reorganise(rpcUrl: string, depth = 1): Promise<void> {
  await rpcRequest(rpcUrl, "anvil_setCoinbase", [`0x${randomBytes(20).toString("hex")}`]);
  await rpcRequest(rpcUrl, "anvil_reorg", [depth, []]);
}
