import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import { verifyWalletSignature } from "../../chain/verifyWalletSignature.ts";
import { linkWallet } from "../../db/identities.ts";
import type { Deps } from "../../deps.ts";
import { consumeNonce } from "../../providers/identity/consumeNonce.ts";
import { requireIdentity } from "../../providers/identity/identityOf.ts";
import { requireSignInMessage } from "./requireSignInMessage.ts";

/**
 * Links a wallet to an account by a message that it signed; the same again changes nothing.
 *
 * @throws SlipwayError `signature_invalid`, `already_linked`, `chain_unavailable`.
 */
export async function proveWallet(
  deps: Deps,
  accountId: string,
  signed: { message: string; signature: string },
): Promise<{ address: string; linked_at: string }> {
  const identity = requireIdentity(deps);
  const { address, nonce, chainId } = requireSignInMessage(deps, identity, signed.message, "signature_invalid");
  // Used up first: one attempt for each nonce.
  if (!(await consumeNonce(identity, nonce))) {
    throw new SlipwayError("signature_invalid", "The nonce was not given here, was used or is too old.");
  }
  const signature = signed.signature as Hex;
  if (!(await verifyWalletSignature(deps.chain, { address, message: signed.message, signature }))) {
    throw new SlipwayError("signature_invalid", "The signature is not that wallet's.");
  }
  const ids = { id: deps.ids.uuid(), identityId: deps.ids.uuid() };
  const linked = await linkWallet(deps.db.api, { ...ids, accountId, address, chainId });
  if (linked === "taken") throw new SlipwayError("already_linked");
  return { address: linked.address, linked_at: linked.created_at.toISOString() };
}
