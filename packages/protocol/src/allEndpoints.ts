import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";

/** An endpoint of a feed or of a list of documents, which programs of another party read. */
const feed = <Path extends string>(path: Path) =>
  ({ method: "GET", path, auth: "public", site: true, client: false }) as const;

/** Every endpoint, by the name of its operation in OpenAPI. */
export const allEndpoints = {
  ...endpoints,
  getLiveness: { method: "GET", path: "/healthz", auth: "public", site: true, client: false },
  getReadiness: { method: "GET", path: "/readyz", auth: "public", site: true, client: false },
  getMetrics: { method: "GET", path: "/metrics", auth: "public", site: true, client: false },
  getTokenCard: { method: "GET", path: "/og/{name}", auth: "public", site: true, client: false },
  getDexScreenerBlock: feed("/feeds/dexscreener/latest-block"),
  getDexScreenerAsset: feed("/feeds/dexscreener/asset"),
  getDexScreenerPair: feed("/feeds/dexscreener/pair"),
  getDexScreenerEvents: feed("/feeds/dexscreener/events"),
  getGeckoTerminalBlock: feed("/feeds/geckoterminal/latest-block"),
  getGeckoTerminalAsset: feed("/feeds/geckoterminal/asset"),
  getGeckoTerminalPair: feed("/feeds/geckoterminal/pair"),
  getGeckoTerminalEvents: feed("/feeds/geckoterminal/events"),
  getUdfConfig: feed("/feeds/udf/config"),
  getUdfTime: feed("/feeds/udf/time"),
  getUdfSymbol: feed("/feeds/udf/symbols"),
  searchUdfSymbols: feed("/feeds/udf/search"),
  getUdfHistory: feed("/feeds/udf/history"),
  listClearSigning: feed("/.well-known/erc7730"),
  getClearSigning: feed("/.well-known/erc7730/{name}"),
  streamLive: { method: "GET", path: "/stream", auth: "public", client: false },
  getImage: { method: "GET", path: "/media/{name}", auth: "public", site: true, client: false },
  getImageSize: { method: "GET", path: "/media/{sha256}/{size}", auth: "public", site: true, client: false },
  openUnsubscribePage: {
    method: "GET",
    path: "/api/alerts/unsubscribe/{ticket}",
    auth: "public",
    site: true,
    client: false,
  },
  finishLink: { method: "GET", path: "/api/auth/callback/{provider}", auth: "public", site: true, client: false },
} as const satisfies Record<string, Endpoint>;

export type OperationName = keyof typeof allEndpoints;
