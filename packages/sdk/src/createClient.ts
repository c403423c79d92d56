import { toApiError } from "./apiError.ts";
import { type Operation, type OperationName, operations } from "./operations.ts";

export type ClientOptions = {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`. */
  baseUrl: string;
  /** Needed by every method that is not a public read. */
  apiKey?: string;
  /** Another `fetch`, e.g. one that retries. */
  fetch?: typeof fetch;
  /** How long a request may take. Default 30 s. */
  timeoutMs?: number;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** Identifies a POST: with the same key, a retry is safe. Default: a new one. */
  idempotencyKey?: string;
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

type AnyOperation = Operation<unknown, unknown>;
type Input = Record<string, unknown>;

/** Encodes the input as the operation specifies: into the path, the query, the body. */
function encodeInput(operation: AnyOperation, input: Input): { target: string; body: string | undefined } {
  const rest = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  if (operation.method === "POST") return { target: path, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
  return { target: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}

/**
 * A client of the service. Every answer is checked against its schema.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:8787/api/v1/launchpad", apiKey });
 * const { items } = await client.listTokens({ sort: "new", limit: 10 });
 *
 * @throws ApiError from each method when the service answers an error; the error of `fetch` when it cannot be reached.
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, timeoutMs = defaultTimeoutMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const send = options.fetch ?? fetch;

  const call = async (operation: AnyOperation, input: Input = {}, callOptions: CallOptions = {}): Promise<unknown> => {
    const { target, body } = encodeInput(operation, input);
    const headers = new Headers({ accept: operation.answer === null ? "image/png" : "application/json" });
    if (body !== undefined) headers.set("content-type", "application/json");
    if (operation.guarded && apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
    if (operation.idempotent) headers.set("idempotency-key", callOptions.idempotencyKey ?? crypto.randomUUID());
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await send(`${baseUrl}${target}`, {
      method: operation.method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout,
    });
    if (!response.ok) throw await toApiError(response);
    if (operation.answer === null) return new Uint8Array(await response.arrayBuffer());
    return operation.answer.parse(await response.json());
  };

  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    (input?: Input, callOptions?: CallOptions) => call(operation as AnyOperation, input, callOptions),
  ]);
  return Object.fromEntries(methods) as Client;
}
