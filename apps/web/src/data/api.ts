import { createLeanClient } from "@slipway/sdk/createLeanClient";

/** The base path of the API. The page and the API have the same origin and release. */
export const baseUrl = "/api/v1/launchpad";

/**
 * The API client; the browser sends the session cookie. `no-cache` revalidates with the stored ETag: otherwise a
 * refetch after a trade could return a response that is cached for up to ten seconds (`max-age`).
 */
export const api = createLeanClient({ baseUrl, cache: "no-cache" });
