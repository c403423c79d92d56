import { type CallOptions, type Client, type ClientOptions, createMethods, type MethodName } from "./createMethods.ts";

export type { CallOptions, Client, ClientOptions, MethodName };

/**
 * Creates the client of `createClient` without schemas: answers are not checked. For pages that are served together with
 * the API that they call, and therefore have the same release.
 *
 * @example
 * const client = createLeanClient({ baseUrl: "/api/v1/launchpad" });
 * const { items } = await client.listTokens({ sort: "new", limit: 10 });
 *
 * @throws ApiError from each method if the service answers an error; the error of `fetch` if it is unreachable.
 */
export function createLeanClient(options: ClientOptions): Client {
  return createMethods(options, (_name, _status, answer) => answer);
}
