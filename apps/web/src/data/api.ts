import { createLeanClient } from "@slipway/sdk/createLeanClient";

/** The API's root: the page and its API have one origin and one release. */
export const baseUrl = "/api/v1/launchpad";

/**
 * The API, with the session's cookie if there is one. `no-cache` asks with the stored ETag: with the ten seconds of
 * `max-age`, a refetch after a trade would bring the answer from before it.
 */
export const api = createLeanClient({ baseUrl, cache: "no-cache" });
