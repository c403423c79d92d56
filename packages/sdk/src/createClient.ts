import { errorTable } from "@slipway/protocol/errors";
import { operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import { type CallOptions, type Client, type ClientOptions, createMethods } from "./createMethods.ts";

export type { CallOptions, Client, ClientOptions };

/**
 * Creates a client of the service that checks every answer against its schema.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:8787/api/v1/launchpad", apiKey });
 * const { items } = await client.listTokens({ sort: "new", limit: 10 });
 *
 * @throws ApiError from each method if the service answers an error; the error of `fetch` if it is unreachable.
 */
export function createClient(options: ClientOptions): Client {
  return createMethods(
    options,
    (name, status, answer) => {
      const { answers }: OperationDefinition = operations[name];
      const schema = answers[status]?.schema;
      if (schema === undefined) throw new Error(`${name} does not answer with the status ${status}`);
      return schema.parse(answer);
    },
    (code) => Object.hasOwn(errorTable, code),
  );
}
