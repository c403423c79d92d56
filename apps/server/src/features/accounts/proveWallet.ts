import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import { linkWallet } from "../../accounts/identities.ts";
import { consumeNonce } from "../../accounts/signInNonces.ts";
import { getServedChainId } from "../../chain/chain.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Identity, requireIdentity } from "../../providers/identity/createIdentity.ts";
import { checkSignInMessage, verifyWalletSignature } from "../../providers/identity/signInMessage.ts";
import { requireOwnNonce } from "../../providers/identity/signInNonce.ts";

/**
 * Links a wallet to an account, proven by a message that the wallet signed. Linking a linked wallet changes nothing.
 *
 * @param cookieHeader - The cookies of the browser that requested the nonce.
 * @throws SlipwayError `signature_invalid`, `already_linked`, `too_many_wallets`, `chain_unavailable`.
 */
export async function proveWallet(
  deps: Deps,
  accountId: string,
  signed: { message: string; signature: string },
  cookieHeader: string | undefined,
): Promise<{ address: string; linked_at: string }> {
  const identity = requireIdentity(deps);
  const { address, nonce, chainId } = requireSignInMessage(deps, identity, signed.message, "signature_invalid");
  await requireOwnNonce(deps, identity.site, nonce, cookieHeader, "signature_invalid");
  // Consumed before the signature is verified: each nonce allows one attempt.
  if (!(await consumeNonce(deps.db.api, nonce))) {
    throw new SlipwayError("signature_invalid", "The nonce was already used.");
  }
  const signature = signed.signature as Hex;
  if (!(await verifyWalletSignature(deps.chain, { address, message: signed.message, signature }))) {
    throw new SlipwayError("signature_invalid", "The wallet did not make this signature.");
  }
  const ids = { id: deps.ids.uuid(), identityId: deps.ids.uuid() };
  const wallet = { ...ids, accountId, address, chainId };
  const linked = await withTransaction(deps.db.api, async (client) => await linkWallet(client, wallet));
  if (linked === "full") throw new SlipwayError("too_many_wallets");
  if (linked === "taken") throw new SlipwayError("already_linked");
  return { address: linked.address, linked_at: linked.created_at.toISOString() };
}

/**
 * Checks every field of a sign-in message except the nonce and the signature.
 *
 * @throws SlipwayError with `code` and the problem.
 */
export function requireSignInMessage(
  deps: Deps,
  { site }: Identity,
  message: string,
  code: "unauthorized" | "signature_invalid",
) {
  const checked = checkSignInMessage(message, { ...site, chainId: getServedChainId(deps), nowMs: deps.clock.now() });
  if ("problem" in checked) throw new SlipwayError(code, `The message was not accepted. ${checked.problem}`);
  return checked;
}
