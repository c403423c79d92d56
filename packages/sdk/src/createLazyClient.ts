import type { Endpoint } from "@slipway/protocol/endpoint";
import { type CallOptions, type ClientOptions, createCall } from "./createCall.ts";
import type { Client, MethodName } from "./createMethods.ts";

export type { CallOptions, Client, ClientOptions, MethodName };

/** The endpoints that a page has loaded, by the name of their operation. */
export type LoadedEndpoints = Partial<Record<MethodName, Endpoint>>;

/**
 * Creates the client of `createLeanClient` without the table of endpoints, for the first load of a page.
 *
 * @param endpoints - The endpoints that the page has loaded. Read at each call.
 * @param load - Adds the other endpoints to `endpoints`; called for each operation without an endpoint.
 *
 * @throws ApiError from each method if the service answers an error; the error of `fetch` if it is unreachable; the
 *   error of `load`.
 */
export function createLazyClient(
  options: ClientOptions,
  endpoints: LoadedEndpoints,
  load: () => Promise<unknown>,
): Client {
  const call = createCall(options, (_name, _status, answer) => answer);
  const callByName = async (name: MethodName, input?: Record<string, unknown>, callOptions?: CallOptions) => {
    if (endpoints[name] === undefined) await load();
    const endpoint = endpoints[name];
    if (endpoint === undefined) throw new Error(`The API has no operation ${name}.`);
    return await call(name, endpoint, input, callOptions);
  };
  // The names of the operations are in the table that is not loaded yet. A method is created at its first use. Without
  // `then`, a promise can resolve to the client.
  return new Proxy<Partial<Record<MethodName, unknown>>>(
    {},
    {
      get: (methods, name) => {
        if (typeof name === "symbol" || name === "then") return undefined;
        const operation = name as MethodName;
        methods[operation] ??= (input?: Record<string, unknown>, callOptions?: CallOptions) =>
          callByName(operation, input, callOptions);
        return methods[operation];
      },
    },
  ) as Client;
}
