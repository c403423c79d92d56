import { isIP } from "node:net";
import { Agent, errors } from "undici";
import type { Clock } from "../../clock.ts";
import {
  createCheckedConnector,
  createResolve,
  isPublicTarget,
  type AddressPolicy,
  type Resolve,
} from "./addressPolicy.ts";
import { acceptedEncodings, readBody } from "./readBody.ts";
import { UntrustedFetchError } from "./untrustedFetchError.ts";

export type UntrustedRequest = {
  /** The most bytes of a body, on the wire and after decompression. */
  maxBytes: number;
  /** Everything, from the name to the last byte, has this long; in milliseconds. */
  deadlineMs: number;
  /** Media types that are taken, and asked for in this order. */
  accept: readonly string[];
  /** More request headers; they do not follow a redirect to another origin. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export type UntrustedResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Empty unless the status is of the 200s. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where it came from after redirects. */
  finalUrl: string;
};

/** Gets an https URL that somebody else chose. @throws OutsideFetchError */
export type UntrustedFetch = (url: string, request: UntrustedRequest) => Promise<UntrustedResponse>;

/** How long a server may say nothing. */
const idleMs = 5_000;
const maxRedirects = 3;

/**
 * The house's one way to the outside world. https only, public addresses only (each redirect is checked anew, names are
 * resolved once for a connection), no proxy, no credentials, no cookies; bounded in time, silence and bytes.
 *
 * @param options.permits - Where connections may go; another one than the default is for tests with servers of their own.
 * @param options.ca - Certificate authorities to trust instead of the system's, in PEM.
 */
export function createUntrustedFetch(options: {
  clock: Pick<Clock, "sleep">;
  permits?: AddressPolicy;
  resolve?: Resolve;
  ca?: string;
}): UntrustedFetch {
  const { clock, permits = isPublicTarget, resolve = createResolve(), ca } = options;
  return async (url, request) => {
    const over = new AbortController();
    clock.sleep(request.deadlineMs, over.signal).then(
      () => over.abort(new UntrustedFetchError("too_slow", `it took longer than ${request.deadlineMs} ms`)),
      () => undefined,
    );
    const stop = () => over.abort(new UntrustedFetchError("stopped", "the caller gave up"));
    request.signal?.addEventListener("abort", stop, { once: true });
    if (request.signal?.aborted) stop();
    // One for each fetch: no connection outlives it, and none is shared between those who ask.
    const agent = new Agent({
      allowH2: false,
      connections: 1,
      headersTimeout: request.deadlineMs,
      bodyTimeout: idleMs,
      connect: createCheckedConnector({ permits, resolve, ca, signal: over.signal }),
    });
    try {
      return await follow(agent, url, request, over.signal);
    } catch (error) {
      throw over.signal.aborted ? over.signal.reason : toUntrustedFetchError(error);
    } finally {
      request.signal?.removeEventListener("abort", stop);
      over.abort();
      await agent.destroy();
    }
  };
}

async function follow(
  agent: Agent,
  firstUrl: string,
  request: UntrustedRequest,
  signal: AbortSignal,
): Promise<UntrustedResponse> {
  const first = parseUntrustedUrl(firstUrl);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: "GET",
      headers: {
        accept: request.accept.join(", "),
        "accept-encoding": acceptedEncodings,
        "user-agent": "slipway",
        ...(url.origin === first.origin ? request.headers : {}),
      },
      signal,
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value!]),
    );
    const status = answer.statusCode;
    if (status >= 200 && status < 300) {
      const taken = await readTypedBody(answer.body, headers, request);
      return { status, headers, bytes: taken, finalUrl: url.href };
    }
    // Whatever it says is not read.
    answer.body.on("error", () => undefined).destroy();
    const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
    if (!isRedirect) return { status, headers, bytes: new Uint8Array(), finalUrl: url.href };
    if (redirects === maxRedirects) {
      throw new UntrustedFetchError("too_many_redirects", `it redirects more than ${maxRedirects} times`);
    }
    url = parseUntrustedUrl(headers.location!, url);
  }
}

async function readTypedBody(
  body: Parameters<typeof readBody>[0],
  headers: Record<string, string>,
  request: UntrustedRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  try {
    if (!request.accept.includes(type))
      throw new UntrustedFetchError("wrong_type", `its type is ${type || "not said"}`);
    return await readBody(body, headers, request.maxBytes);
  } catch (error) {
    body.on("error", () => undefined).destroy();
    throw error;
  }
}

function toUntrustedFetchError(error: unknown): UntrustedFetchError {
  if (error instanceof UntrustedFetchError) return error;
  const slow =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  const code = (error as { code?: string }).code ?? (error as Error).name;
  return slow
    ? new UntrustedFetchError("too_slow", "it said nothing for too long", { cause: error })
    : new UntrustedFetchError("unreachable", `the connection failed: ${code}`, { cause: error });
}

/** Names that mean something inside a machine or network only (RFC 6761, 6762, 7686, 8375, and what resolvers add). */
const internalNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|onion)$/;

const maxLength = 2_048;

/**
 * The URL when it may be asked for: https, without credentials, with a host that can be public. Spellings of an address
 * (`0x7f000001`, `2130706433`, `0177.0.0.1`) are made plain here; the address itself is judged when a connection is made.
 *
 * @throws OutsideFetchError `url_refused`.
 */
export function parseUntrustedUrl(text: string, base?: URL): URL {
  const url = text.length <= maxLength && URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null) throw new UntrustedFetchError("url_refused", "it is no URL, or too long");
  if (url.protocol !== "https:") throw new UntrustedFetchError("url_refused", "only https is fetched");
  if (url.username !== "" || url.password !== "") throw new UntrustedFetchError("url_refused", "it holds credentials");
  const host = url.hostname.replace(/\.$/, "");
  const isAddress = host.startsWith("[") || isIP(host) !== 0;
  if (!isAddress && (!host.includes(".") || internalNames.test(host))) {
    throw new UntrustedFetchError("url_refused", "its host is no name of the public internet");
  }
  return url;
}
