import { type Hex, recoverMessageAddress } from "viem";
import type { Chain } from "./chain.ts";
import { fromChain } from "./chainUnavailable.ts";

/** What ends a signature of a contract that is not deployed yet. Source: ERC-6492. */
const erc6492Suffix = "6492649264926492649264926492649264926492649264926492649264926492";

/**
 * Whether a wallet signed a message (ERC-191): a key without asking the chain, a contract by its own word (ERC-1271,
 * ERC-6492) at the head.
 *
 * @throws SlipwayError `chain_unavailable` when the chain must be asked and does not answer.
 */
export async function verifyWalletSignature(
  chain: Pick<Chain, "client">,
  signed: { address: Hex; message: string; signature: Hex },
): Promise<boolean> {
  const { address, message, signature } = signed;
  const recovered = await recoverMessageAddress({ message, signature }).catch(() => null);
  if (recovered?.toLowerCase() === address.toLowerCase()) return true;
  const code = await fromChain(chain.client.getCode({ address }));
  const isContract = code !== undefined && code !== "0x";
  if (!isContract && !signature.toLowerCase().endsWith(erc6492Suffix)) return false;
  return await fromChain(chain.client.verifyMessage({ address, message, signature }));
}
