import { toApiError } from "./apiError.ts";
import { type Operation, type OperationName, operations } from "./operations.ts";

export type ClientOptions = {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`; in a page of the site, `/api/v1/launchpad`. */
  baseUrl: string;
  /** Needed by every method that is not a public read. */
  apiKey?: string;
  /** Another `fetch`, e.g. one that retries. */
  fetch?: typeof fetch;
  /** How requests use a browser's cache, as `fetch` names it; `no-cache` asks whether what is stored is still true. */
  cache?: RequestCache;
  /** How long a request may take. Default 30 s. */
  timeoutMs?: number;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** Identifies a POST: with the same key, a retry is safe. Default: a new one. */
  idempotencyKey?: string;
  /** The ETag of what is changed, as it was read; `*` for any. */
  ifMatch?: string;
};

type Method<O> =
  O extends Operation<infer Input, infer Answer>
    ? undefined extends Input
      ? (input?: Input, options?: CallOptions) => Promise<Answer>
      : (input: Input, options?: CallOptions) => Promise<Answer>
    : never;

/** One method for each operation, named as in OpenAPI. */
export type Client = { [Name in OperationName]: Method<(typeof operations)[Name]> };

const defaultTimeoutMs = 30_000;

type Input = Record<string, unknown>;

/** Encodes the input as the operation specifies: into the path, the query, the body. */
function encodeInput(operation: Operation, input: Input): { target: string; body: string | FormData | undefined } {
  const rest = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  if (operation.file) {
    const form = new FormData();
    const { file } = rest as { file: Blob | Uint8Array<ArrayBuffer> };
    form.set("file", file instanceof Blob ? file : new Blob([file]), "file");
    return { target: path, body: form };
  }
  if (["POST", "PUT", "PATCH"].includes(operation.method)) return { target: path, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  return { target: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}

/**
 * Creates a method for each operation; `read` gets the JSON of each answer and returns or refuses it.
 *
 * @param isKnownCode - See `toApiError`.
 */
export function createMethods(
  options: ClientOptions,
  read: (name: OperationName, answer: unknown) => unknown,
  isKnownCode?: (code: string) => boolean,
): Client {
  const { apiKey, cache, timeoutMs = defaultTimeoutMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const siteUrl = baseUrl.replace(/\/api\/v1\/launchpad$/, "");
  const send = options.fetch ?? fetch;

  const call = async (name: OperationName, input: Input = {}, callOptions: CallOptions = {}): Promise<unknown> => {
    const operation: Operation = operations[name];
    const { target, body } = encodeInput(operation, input);
    const headers = new Headers({ accept: operation.png ? "image/png" : "application/json" });
    // Of a form `fetch` sets the type itself, with the form's boundary.
    if (typeof body === "string") headers.set("content-type", "application/json");
    if (operation.guarded && apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
    if (operation.idempotent) headers.set("idempotency-key", callOptions.idempotencyKey ?? crypto.randomUUID());
    if (operation.conditional && callOptions.ifMatch !== undefined) headers.set("if-match", callOptions.ifMatch);
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await send(`${operation.site ? siteUrl : baseUrl}${target}`, {
      method: operation.method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(cache === undefined ? {} : { cache }),
      signal: callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout,
    });
    if (!response.ok) throw await toApiError(response, isKnownCode);
    if (operation.png) return new Uint8Array(await response.arrayBuffer());
    return read(name, await response.json());
  };

  const names = Object.keys(operations) as OperationName[];
  const methods = names.map((name) => [
    name,
    (input?: Input, callOptions?: CallOptions) => call(name, input, callOptions),
  ]);
  return Object.fromEntries(methods) as Client;
}
