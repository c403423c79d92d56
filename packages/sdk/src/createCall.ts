import type { Endpoint } from "@slipway/protocol/endpoint";
import { toApiError } from "./apiError.ts";

export type ClientOptions = {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`; in a page of the site, `/api/v1/launchpad`. */
  baseUrl: string;
  /** Needed by every method except public reads. */
  apiKey?: string;
  /** Another `fetch`, e.g. one that retries. */
  fetch?: typeof fetch;
  /** The `cache` mode of `fetch`; `no-cache` revalidates stored answers. */
  cache?: RequestInit["cache"];
  /** The timeout of a request. Default 30 s. */
  timeoutMs?: number;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** Identifies a POST, so that a retry with the same key is safe. Default: a new key. */
  idempotencyKey?: string;
  /** The ETag of the changed resource from its last read, or `*` for any. */
  ifMatch?: string;
};

const defaultTimeoutMs = 30_000;

type Input = Record<string, unknown>;

/** Encodes the input: parameters into the path, the others into the body of a POST, PUT or PATCH, else into the query. */
function encodeInput(endpoint: Endpoint, input: Input): { target: string; body: string | FormData | undefined } {
  const rest = { ...input };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  if (endpoint.multipart) {
    const form = new FormData();
    const { file } = rest as { file: Blob | Uint8Array<ArrayBuffer> };
    form.set("file", file instanceof Blob ? file : new Blob([file]), "file");
    return { target: path, body: form };
  }
  if (["POST", "PUT", "PATCH"].includes(endpoint.method)) return { target: path, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  return { target: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}

/** Sends a request to an endpoint. `name` is the name of its operation. */
export type Call = (name: string, endpoint: Endpoint, input?: Input, options?: CallOptions) => Promise<unknown>;

/**
 * Creates the function that sends all requests of a client. `read` gets the status and the JSON of each answer, and
 * returns or refuses it.
 *
 * @param isKnownCode - See `toApiError`.
 */
export function createCall(
  options: ClientOptions,
  read: (name: string, status: number, answer: unknown) => unknown,
  isKnownCode?: (code: string) => boolean,
): Call {
  const { apiKey, cache, timeoutMs = defaultTimeoutMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const siteUrl = baseUrl.replace(/\/api\/v1\/launchpad$/, "");
  const send = options.fetch ?? fetch;

  return async (name, endpoint, input = {}, callOptions = {}) => {
    const { target, body } = encodeInput(endpoint, input);
    const headers = new Headers({ accept: endpoint.png ? "image/png" : "application/json" });
    // `fetch` sets the type of a form itself, with the form's boundary.
    if (typeof body === "string") headers.set("content-type", "application/json");
    if (endpoint.auth === "bearer" && apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
    if (endpoint.idempotent) headers.set("idempotency-key", callOptions.idempotencyKey ?? crypto.randomUUID());
    if (endpoint.conditional && callOptions.ifMatch !== undefined) headers.set("if-match", callOptions.ifMatch);
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await send(`${endpoint.site ? siteUrl : baseUrl}${target}`, {
      method: endpoint.method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(cache === undefined ? {} : { cache }),
      signal: callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout,
    });
    if (!response.ok) throw await toApiError(response, isKnownCode);
    if (endpoint.png) return new Uint8Array(await response.arrayBuffer());
    return read(name, response.status, await response.json());
  };
}
