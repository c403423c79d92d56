import { isIP } from "node:net";
import { Agent, errors } from "undici";
import type { Clock } from "../../clock.ts";
import {
  type AddressPolicy,
  createCheckedConnector,
  createResolve,
  isPublicTarget,
  type Resolve,
} from "./addressPolicy.ts";
import { acceptedEncodings, readBody } from "./readBody.ts";
import { UntrustedFetchError } from "./untrustedFetchError.ts";

export type UntrustedRequest = {
  /** Maximum body size in bytes, on the wire and after decompression. */
  maxBytes: number;
  /** Deadline of the whole fetch, from name resolution to the last byte, in milliseconds. */
  deadlineMs: number;
  /** Accepted media types, in the order of the Accept header. */
  accept: readonly string[];
  /** The body of a POST instead of a GET. The body of its response is not read. */
  post?: string;
  /** Additional request headers; not sent to another origin after a redirect. */
  headers?: Record<string, string>;
  /** Maximum number of redirects; default: 3, none for a POST. */
  maxRedirects?: number;
  /**
   * An origin of this machine that the operator has named in a setting, such as `http://127.0.0.1:9000`. If set,
   * nothing else is fetched, redirects included.
   */
  loopbackOrigin?: string;
  signal?: AbortSignal;
};

export type UntrustedResponse = {
  status: number;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  /** Empty unless the status is 2xx, and for a POST. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The URL after redirects. */
  finalUrl: string;
};

/** Fetches an https URL from an untrusted source. @throws UntrustedFetchError */
export type UntrustedFetch = (url: string, request: UntrustedRequest) => Promise<UntrustedResponse>;

/** Maximum time without data from the server. */
const idleTimeoutMs = 5_000;
const defaultRedirects = 3;

/**
 * Creates the fetch for URLs from untrusted sources; the only one of the service. Allows https and public addresses
 * only (each redirect is checked again, a name is resolved once for a connection), no proxy, no credentials, no
 * cookies; limits total time, idle time and bytes.
 *
 * @param options.addressPolicy - Allowed targets; tests replace the default to reach local servers.
 * @param options.ca - Certificate authorities to trust instead of the system's, in PEM.
 */
export function createUntrustedFetch(options: {
  clock: Pick<Clock, "sleep">;
  addressPolicy?: AddressPolicy;
  resolve?: Resolve;
  ca?: string;
}): UntrustedFetch {
  const { clock, addressPolicy = isPublicTarget, resolve = createResolve(), ca } = options;
  return async (url, request) => {
    const done = new AbortController();
    clock.sleep(request.deadlineMs, done.signal).then(
      () => done.abort(new UntrustedFetchError("too_slow", `it took longer than ${request.deadlineMs} ms`)),
      () => undefined,
    );
    const stop = () => done.abort(new UntrustedFetchError("stopped", "the caller aborted"));
    request.signal?.addEventListener("abort", stop, { once: true });
    if (request.signal?.aborted) stop();
    // One agent for each fetch, so that connections are neither reused nor shared.
    const { loopbackOrigin } = request;
    const agent = new Agent({
      allowH2: false,
      connections: 1,
      headersTimeout: request.deadlineMs,
      bodyTimeout: idleTimeoutMs,
      connect: createCheckedConnector({
        addressPolicy: loopbackOrigin === undefined ? addressPolicy : createLoopbackPolicy(loopbackOrigin),
        resolve,
        ca,
        signal: done.signal,
      }),
    });
    try {
      return await follow(agent, url, request, done.signal);
    } catch (error) {
      throw done.signal.aborted ? done.signal.reason : toUntrustedFetchError(error);
    } finally {
      request.signal?.removeEventListener("abort", stop);
      done.abort();
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
  const { maxRedirects = request.post === undefined ? defaultRedirects : 0, loopbackOrigin } = request;
  const parse = (text: string, base?: URL) =>
    loopbackOrigin === undefined ? parseUntrustedUrl(text, base) : parseLoopbackUrl(text, base, loopbackOrigin);
  const first = parse(firstUrl);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      ...(request.post === undefined ? { method: "GET" } : { method: "POST", body: request.post }),
      headers: {
        accept: request.accept.length === 0 ? "*/*" : request.accept.join(", "),
        "accept-encoding": acceptedEncodings,
        "user-agent": "slipway",
        ...(url.origin === first.origin ? request.headers : {}),
      },
      signal,
    });
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value!]),
    );
    const status = response.statusCode;
    if (status >= 200 && status < 300 && request.post === undefined) {
      const bytes = await readTypedBody(response.body, headers, request);
      return { status, headers, bytes, finalUrl: url.href };
    }
    // The body is not read.
    response.body.on("error", () => undefined).destroy();
    const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
    if (!isRedirect) return { status, headers, bytes: new Uint8Array(), finalUrl: url.href };
    if (redirects === maxRedirects) {
      throw new UntrustedFetchError("too_many_redirects", `it redirects more than ${maxRedirects} times`);
    }
    url = parse(headers.location!, url);
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
      throw new UntrustedFetchError("wrong_type", `its type is ${type || "undeclared"}`);
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
    ? new UntrustedFetchError("too_slow", "it was idle for too long", { cause: error })
    : new UntrustedFetchError("unreachable", `the connection failed: ${code}`, { cause: error });
}

/** Allows only the target that the origin names. */
function createLoopbackPolicy(origin: string): AddressPolicy {
  const { hostname, port } = new URL(origin);
  return (target) => target.address === hostname && target.port === Number(port || 80);
}

/** Parses a URL of the origin. @throws UntrustedFetchError `url_refused` for a URL of another origin */
function parseLoopbackUrl(text: string, base: URL | undefined, origin: string): URL {
  const url = URL.parse(text, base);
  if (url === null || url.origin !== origin) throw new UntrustedFetchError("url_refused", `origin is not ${origin}`);
  return url;
}

/** Names that resolve only inside a host or network (RFC 6761, 6762, 7686, 8375, and common resolver suffixes). */
const internalNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|onion)$/;

const maxLength = 2_048;

/**
 * Parses a URL that may be fetched: https, without credentials, with a host that can be public. Alternative notations of
 * an address (`0x7f000001`, `2130706433`, `0177.0.0.1`) are normalized here; the address is checked at connection time.
 *
 * @throws UntrustedFetchError `url_refused`.
 */
export function parseUntrustedUrl(text: string, base?: URL): URL {
  const url = text.length <= maxLength && URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null) throw new UntrustedFetchError("url_refused", "it is not a URL, or it is too long");
  if (url.protocol !== "https:") throw new UntrustedFetchError("url_refused", "only https is allowed");
  if (url.username !== "" || url.password !== "") throw new UntrustedFetchError("url_refused", "it has credentials");
  const host = url.hostname.replace(/\.$/, "");
  const isAddress = host.startsWith("[") || isIP(host) !== 0;
  if (!isAddress && (!host.includes(".") || internalNames.test(host))) {
    throw new UntrustedFetchError("url_refused", "its host is not a name of the public internet");
  }
  return url;
}
