import type { Hex } from "viem";
import type { Chain } from "../chain.ts";
import { rpcErrorOf } from "../chainUnavailable.ts";

/** How nodes say that they have a transaction already, or one with its nonce that is mined (Geth, Nitro, anvil, Erigon). */
const alreadyThere =
  /already known|already imported|known transaction|nonce too low|replacement transaction underpriced/i;

/**
 * Sends signed bytes to the chain; sending them again does no harm.
 *
 * @returns why the node did not take them, or null when it has them.
 */
export async function broadcast(chain: Pick<Chain, "request">, raw: Hex): Promise<string | null> {
  try {
    await chain.request({ method: "eth_sendRawTransaction", params: [raw] });
    return null;
  } catch (error) {
    const rpc = rpcErrorOf(error);
    if (rpc === null) throw error;
    return alreadyThere.test(rpc.message) ? null : rpc.message;
  }
}
