import { errorTable } from "@slipway/protocol/errors";
import { answerSchemas } from "./answerSchemas.ts";
import { type CallOptions, type Client, type ClientOptions, createMethods } from "./createMethods.ts";
import type { Parser } from "./operations.ts";

export type { CallOptions, Client, ClientOptions };

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
  const schemas: Record<string, Parser> = answerSchemas;
  return createMethods(
    options,
    (name, answer) => schemas[name]!.parse(answer),
    (code) => Object.hasOwn(errorTable, code),
  );
}
