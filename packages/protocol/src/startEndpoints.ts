import type { Endpoint } from "./endpoint.ts";

/**
 * The part of `endpoints` that the site's first page calls. The site loads the other endpoints with its other pages,
 * because every byte of the first load delays the first page.
 */
export const startEndpoints = {
  getConfig: { method: "GET", path: "/config", auth: "public" },
  getAnalytics: { method: "GET", path: "/analytics", auth: "public" },
  listTokens: { method: "GET", path: "/tokens", auth: "public" },
  getToken: { method: "GET", path: "/tokens/{address}", auth: "public" },
  getSession: { method: "GET", path: "/api/auth/session", auth: "bearer", site: true },
} as const satisfies Record<string, Endpoint>;
