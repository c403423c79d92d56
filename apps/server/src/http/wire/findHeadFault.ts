import type { IncomingMessage } from "node:http";
import type { SlipwayError } from "@slipway/protocol/errors";
import { ErrorWithHeaders } from "../sendError.ts";

/**
 * The header fields that are checked. Each may occur once: if one occurs twice, Node.js uses the first or joins both,
 * while a proxy may use the other one.
 */
const checkedFields = [
  "host",
  "expect",
  "content-type",
  "authorization",
  "idempotency-key",
  "content-encoding",
  "transfer-encoding",
];

/** The checked fields, each at the index of its length, so that any other field costs one comparison. */
const fieldsByLength: readonly (string | undefined)[] = (() => {
  const fields: string[] = [];
  for (const name of checkedFields) fields[name.length] = name;
  return fields;
})();

/** Source: RFC 9110, 7.2; RFC 3986, 3.2.2 and 3.2.3. Names in private networks contain underscores. */
const validHost = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** The charset parameters of a Content-Type. */
const charsets = /;\s*charset\s*=\s*("[^"]*"|[^;]*)/gi;

/**
 * Finds a fault in the head of a request: a version or a framing that readers treat in different ways, a missing host, a
 * repeated field, an unknown expectation, or an encoding of the body that is not supported.
 *
 * @returns The error; null if the head has no fault, after one pass over the names of the header fields.
 */
export function findHeadFault(request: IncomingMessage): SlipwayError | null {
  const { rawHeaders, httpVersionMajor, httpVersionMinor } = request;
  // The parser accepts 0.9 and 2.0 in the request line as well, and reads the rest as 1.1.
  if (httpVersionMajor !== 1) return refuseAmbiguous("Use HTTP/1.1.");
  const isOld = httpVersionMinor === 0;
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    const field = fieldsByLength[length];
    if (field === undefined || !isNamed(rawHeaders[i]!, field)) continue;
    const bit = 1 << length;
    if (seen & bit) return refuseAmbiguous(`Send one ${field} header field.`);
    seen |= bit;
    const fault = findFieldFault(field, rawHeaders[i + 1]!, request, isOld);
    if (fault !== null) return fault;
  }
  return isOld || seen & (1 << "host".length) ? null : refuseAmbiguous("Send a Host header field.");
}

/** Compares a name with a field. Names are ASCII; nearly all other names begin with another letter. */
function isNamed(name: string, field: string): boolean {
  return (name.charCodeAt(0) | 0x20) === field.charCodeAt(0) && name.toLowerCase() === field;
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
      // RFC 9112, 6.1: in HTTP/1.0 the framing is then faulty.
      return !isOld && value.toLowerCase() === "chunked"
        ? null
        : refuseAmbiguous("Use no transfer coding other than chunked.");
    case "expect":
      // RFC 9110, 10.1.1: a server ignores it in HTTP/1.0.
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

/** Another reader may locate the next request elsewhere, so the connection ends. */
const closing = { connection: "close" };

function refuseAmbiguous(message: string): SlipwayError {
  return new ErrorWithHeaders("invalid_request", message, closing);
}

/** RFC 9110, 12.5.3: the response lists the supported encodings. */
function refuseEncoding(): SlipwayError {
  return new ErrorWithHeaders("unsupported_encoding", undefined, { "accept-encoding": "identity" });
}
