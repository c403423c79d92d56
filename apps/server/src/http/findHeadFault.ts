import type { IncomingMessage } from "node:http";
import type { SlipwayError } from "@slipway/protocol/errors";
import { ErrorWithHeaders } from "./errorWithHeaders.ts";

/**
 * The header fields that are judged, at the index of their name's length: no other field of a request costs more than
 * one comparison. Each may be there once. Of most of them Node.js passes on the first and drops the others, of some it
 * passes on a list: another reader, such as a proxy, may take another one for the request's.
 */
const judgedFields: readonly (string | undefined)[] = (() => {
  const fields: string[] = [];
  for (const name of [
    ...["host", "expect", "content-type", "authorization", "idempotency-key"],
    ...["content-encoding", "transfer-encoding"],
  ]) {
    fields[name.length] = name;
  }
  return fields;
})();

/** Source: RFC 9110, 7.2; RFC 3986, 3.2.2 and 3.2.3. Underscores are in names that no registry has. */
const validHost = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** All that a Content-Type says of the charset. */
const charsets = /;\s*charset\s*=\s*("[^"]*"|[^;]*)/gi;

/**
 * Finds what makes a request ambiguous or unreadable by its head alone: a version or a framing that readers treat in
 * different ways, no host or two, a field twice that says one thing, an unknown expectation, a coding of the body.
 *
 * @returns The error; null for nearly all requests, at the cost of one pass over the names of the header fields.
 */
export function findHeadFault(request: IncomingMessage): SlipwayError | null {
  const { rawHeaders, httpVersionMajor, httpVersionMinor } = request;
  // The parser accepts 0.9 and 2.0 in the request line as well, and reads the rest as 1.1.
  if (httpVersionMajor !== 1) return refuseAmbiguous("Speak HTTP/1.1.");
  const isOld = httpVersionMinor === 0;
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    const field = judgedFields[length];
    if (field === undefined || !isNamed(rawHeaders[i]!, field)) continue;
    const bit = 1 << length;
    if (seen & bit) return refuseAmbiguous(`Send one ${field} header field.`);
    seen |= bit;
    const fault = findFieldFault(field, rawHeaders[i + 1]!, request, isOld);
    if (fault !== null) return fault;
  }
  return isOld || seen & (1 << "host".length) ? null : refuseAmbiguous("Send a Host header field.");
}

/** Names are ASCII: the first letter, in lower case, differs in nearly all others. */
function isNamed(given: string, field: string): boolean {
  return (given.charCodeAt(0) | 0x20) === field.charCodeAt(0) && given.toLowerCase() === field;
}

function findFieldFault(
  field: string,
  value: string,
  { method }: IncomingMessage,
  isOld: boolean,
): SlipwayError | null {
  switch (field) {
    case "host":
      return validHost.test(value) ? null : refuseAmbiguous("Send a valid Host header field.");
    case "transfer-encoding":
      // RFC 9112, 6.1: in HTTP/1.0 it means that the framing is faulty.
      return !isOld && value.toLowerCase() === "chunked" ? null : refuseAmbiguous("Send no coding but chunks.");
    case "expect":
      // RFC 9110, 10.1.1: in HTTP/1.0 it is ignored.
      return isOld || value.toLowerCase() === "100-continue"
        ? null
        : new ErrorWithHeaders("expectation_failed", undefined, closing);
    case "content-encoding":
      return refuseEncoding();
    case "content-type":
      return method === "GET" || method === "HEAD" || isUtf8(value) ? null : refuseEncoding();
    default:
      return null;
  }
}

function isUtf8(contentType: string): boolean {
  for (const [, charset] of contentType.matchAll(charsets)) {
    if (!/^\s*("?)utf-8\1\s*$/i.test(charset!)) return false;
  }
  return true;
}

/** Whether another reader finds the next request at the same place is unknown. */
const closing = { connection: "close" };

function refuseAmbiguous(message: string): SlipwayError {
  return new ErrorWithHeaders("invalid_request", message, closing);
}

/** RFC 9110, 12.5.3: the response to a coding that is not supported names those that are. */
function refuseEncoding(): SlipwayError {
  return new ErrorWithHeaders("unsupported_encoding", undefined, { "accept-encoding": "identity" });
}
