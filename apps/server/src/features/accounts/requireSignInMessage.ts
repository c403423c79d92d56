import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { checkSignInMessage } from "../../providers/identity/checkSignInMessage.ts";
import type { Identity } from "../../providers/identity/identityOf.ts";
import { servedChainId } from "../../readModel/servedChainId.ts";

/**
 * A sign-in message whose every field is for this site, now. Its nonce and its signature are not looked at.
 *
 * @throws SlipwayError with `code` and what is wrong.
 */
export function requireSignInMessage(
  deps: Deps,
  { site }: Identity,
  message: string,
  code: "unauthorized" | "signature_invalid",
) {
  const checked = checkSignInMessage(message, { ...site, chainId: servedChainId(deps), nowMs: deps.clock.now() });
  if ("problem" in checked) throw new SlipwayError(code, `The message was not accepted. ${checked.problem}`);
  return checked;
}
