import { findCredentialInTarget } from "@slipway/protocol/credentialNames";
import { SlipwayError } from "@slipway/protocol/errors";

/**
 * Refuses a request target that contains a credential: userinfo, a parameter with the name of a credential, or an API key of
 * this service. URLs end up in logs, histories and Referer headers.
 *
 * No parameter is exempt. A secret that must be part of a URL is a path segment, and authorizes the action of its route only.
 *
 * @param route.takesToken - The route has a parameter `token`: its schema refuses what is neither an address nor a
 *   credential, and names the field.
 * @throws SlipwayError `credentials_in_url`; its message does not repeat the URL.
 */
export function refuseCredentialsInUrl(target: string, { takesToken }: { takesToken?: boolean } = {}): void {
  const finding = findCredentialInTarget(target);
  if (finding === null || (finding.kind === "token_not_address" && takesToken)) return;
  throw new SlipwayError("credentials_in_url");
}
