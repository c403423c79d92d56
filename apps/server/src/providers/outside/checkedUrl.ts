import { isIP } from "node:net";
import { OutsideFetchError } from "./outsideFetchError.ts";

/** Names that mean something inside a machine or network only (RFC 6761, 6762, 7686, 8375, and what resolvers add). */
const innerNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|onion)$/;

const maxLength = 2_048;

/**
 * The URL when it may be asked for: https, without credentials, with a host that can be public. Spellings of an address
 * (`0x7f000001`, `2130706433`, `0177.0.0.1`) are made plain here; the address itself is judged when a connection is made.
 *
 * @throws OutsideFetchError `url_refused`.
 */
export function checkedUrl(text: string, base?: URL): URL {
  const url = text.length <= maxLength && URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null) throw new OutsideFetchError("url_refused", "it is no URL, or too long");
  if (url.protocol !== "https:") throw new OutsideFetchError("url_refused", "only https is fetched");
  if (url.username !== "" || url.password !== "") throw new OutsideFetchError("url_refused", "it holds credentials");
  const host = url.hostname.replace(/\.$/, "");
  const isAddress = host.startsWith("[") || isIP(host) !== 0;
  if (!isAddress && (!host.includes(".") || innerNames.test(host))) {
    throw new OutsideFetchError("url_refused", "its host is no name of the public internet");
  }
  return url;
}
