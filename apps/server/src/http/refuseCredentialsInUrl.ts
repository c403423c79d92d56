import { SlipwayError } from "@slipway/protocol/errors";
import { apiKeyPrefix } from "../accounts/apiKeys.ts";

const credentialNames =
  /^(access[_-]?token|api[_-]?key|apikey|authorization|auth|bearer|credentials?|id[_-]?token|jwt|key|passw(or)?d|refresh[_-]?token|secret|session([_-]?(id|token))?|signature|token)$/i;

/** Parameters named like a credential that are none, and the form that proves it. */
const harmless: Record<string, RegExp> = { token: /^(0x)?[0-9a-fA-F]{0,64}(,0x[0-9a-fA-F]{40})*$/ };

const decode = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Refuses a request target that carries a credential: as userinfo, as a parameter named like one, or as an API
 * key of this service anywhere in it. URLs end up in logs, histories and Referer headers.
 *
 * @throws SlipwayError `credentials_in_url`; its message does not repeat the URL.
 */
export function refuseCredentialsInUrl(target: string): void {
  const refuse = () => {
    throw new SlipwayError("credentials_in_url");
  };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(target)) refuse();
  if (decode(target).includes(apiKeyPrefix)) refuse();
  const queryStart = target.indexOf("?");
  if (queryStart === -1) return;
  for (const [name, value] of new URLSearchParams(target.slice(queryStart + 1))) {
    if (credentialNames.test(name) && !harmless[name.toLowerCase()]?.test(value)) refuse();
  }
}
