import { startEndpoints } from "@slipway/protocol/startEndpoints";
import { createLazyClient, type LoadedEndpoints } from "@slipway/sdk/createLazyClient";
import { importFile } from "../ui/importFile.ts";

/** The base path of the API. The page and the API have the same origin and release. */
export const baseUrl = "/api/v1/launchpad";

const endpoints: LoadedEndpoints = { ...startEndpoints };

/** Loads the endpoints that only pages after the first one call, once. Routes load them together with the page. */
export async function loadEndpoints(): Promise<void> {
  Object.assign(endpoints, (await importFile(() => import("@slipway/protocol/endpoints"))).endpoints);
}

/** Whether a loaded operation needs a session. An operation that the page has not called yet may not be loaded. */
export const needsSession = (name: unknown): boolean => endpoints[name as keyof LoadedEndpoints]?.auth === "bearer";

/**
 * The API client; the browser sends the session cookie. `no-cache` revalidates with the stored ETag: otherwise a
 * refetch after a trade could return a response that is cached for up to ten seconds (`max-age`).
 */
export const api = createLazyClient({ baseUrl, cache: "no-cache" }, endpoints, loadEndpoints);
