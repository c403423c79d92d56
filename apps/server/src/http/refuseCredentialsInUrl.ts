import { findCredentialInTarget } from "@slipway/protocol/credentialNames";
import { SlipwayError } from "@slipway/protocol/errors";

/**
 * Refuses a request target that carries a credential: as userinfo, as a parameter called like one, or as an API key of
 * this service anywhere in it. URLs end up in logs, histories and Referer headers.
 *
 * There is no exception for a parameter. A secret that is made to stand in a URL is a segment of the path of its route,
 * which is not compared with names; it must be able to do nothing but what that route does.
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
