import { endpoints } from "@slipway/protocol/endpoints";
import type { OperationAnswer, OperationInput } from "@slipway/protocol/operations";
import { type CallOptions, type ClientOptions, createCall } from "./createCall.ts";

export type { CallOptions, ClientOptions };

/** Names of the operations that have a method. */
export type MethodName = keyof typeof endpoints;

type Method<Input, Answer> = unknown extends Input
  ? (input?: undefined, options?: CallOptions) => Promise<Answer>
  : object extends Input
    ? (input?: Input, options?: CallOptions) => Promise<Answer>
    : (input: Input, options?: CallOptions) => Promise<Answer>;

/** One method for each operation, named as in OpenAPI. */
export type Client = { [Name in MethodName]: Method<OperationInput<Name>, OperationAnswer<Name>> };

/** The names of the client's methods. */
export const methodNames = Object.keys(endpoints) as readonly MethodName[];

/**
 * Creates a method for each operation. `read` gets the status and the JSON of each answer, and returns or refuses it.
 *
 * @param isKnownCode - See `toApiError`.
 */
export function createMethods(
  options: ClientOptions,
  read: (name: MethodName, status: number, answer: unknown) => unknown,
  isKnownCode?: (code: string) => boolean,
): Client {
  const call = createCall(options, read as Parameters<typeof createCall>[1], isKnownCode);
  const methods = methodNames.map((name) => [
    name,
    (input?: Record<string, unknown>, callOptions?: CallOptions) => call(name, endpoints[name], input, callOptions),
  ]);
  return Object.fromEntries(methods) as Client;
}
