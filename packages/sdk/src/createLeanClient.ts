import { type CallOptions, type Client, type ClientOptions, createMethods, type MethodName } from "./createMethods.ts";

export type { CallOptions, Client, ClientOptions, MethodName };

/**
 * The same client as `createClient`, without the schemas and the library that checks them: an answer is returned as it
 * came. For pages that are served with the API that they call, whose answers therefore are of their own release.
 *
 * @example
 * const client = createLeanClient({ baseUrl: "/api/v1/launchpad" });
 * const { items } = await client.listTokens({ sort: "new", limit: 10 });
 *
 * @throws ApiError from each method when the service answers an error; the error of `fetch` when it cannot be reached.
 */
export function createLeanClient(options: ClientOptions): Client {
  return createMethods(options, (_name, _status, answer) => answer);
}
