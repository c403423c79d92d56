/**
 * An endpoint as a client calls it: plain data, so that a page can load it without the schemas. `operations.ts` adds
 * the rest of each endpoint's contract.
 */
export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the API root, with `{name}` for each parameter; with `site: true`, below the site root. */
  path: string;
  site?: true;
  /** `bearer` needs an API key or a session. */
  auth: "public" | "bearer";
  /** Accepts an Idempotency-Key. */
  idempotent?: true;
  /** Accepts If-Match. */
  conditional?: true;
  /** Accepts a file as multipart/form-data instead of JSON. */
  multipart?: true;
  /** Returns a PNG image. */
  png?: true;
  /**
   * `false`: the SDK has no method, because the endpoint is a stream or is for browsers, monitoring, or readers with
   * their own format.
   */
  client?: false;
};

/** An endpoint of a feed, which readers of another party call. */
const feed = <Path extends string>(path: Path) =>
  ({ method: "GET", path, auth: "public", site: true, client: false }) as const;

/** Every endpoint, by the name of its operation in OpenAPI and the SDK. */
export const endpoints = {
  getConfig: { method: "GET", path: "/config", auth: "public" },
  getReceiveCode: { method: "GET", path: "/qr.png", auth: "public", png: true },
  getAnalytics: { method: "GET", path: "/analytics", auth: "public" },
  getLiveness: { method: "GET", path: "/healthz", auth: "public", site: true, client: false },
  getReadiness: { method: "GET", path: "/readyz", auth: "public", site: true, client: false },
  getMetrics: { method: "GET", path: "/metrics", auth: "public", site: true, client: false },
  listTokens: { method: "GET", path: "/tokens", auth: "public" },
  getToken: { method: "GET", path: "/tokens/{address}", auth: "public" },
  listTokenCandles: { method: "GET", path: "/tokens/{address}/candles", auth: "public" },
  listTokenTrades: { method: "GET", path: "/tokens/{address}/trades", auth: "public" },
  listTokenHolders: { method: "GET", path: "/tokens/{address}/holders", auth: "public" },
  getTokenFacts: { method: "GET", path: "/tokens/{address}/facts", auth: "public" },
  getGallery: { method: "GET", path: "/gallery", auth: "public" },
  getTokenCard: { method: "GET", path: "/og/{name}", auth: "public", site: true, client: false },
  getContractDocument: { method: "GET", path: "/tokens/{address}/contract-uri", auth: "public" },
  getTokenList: { method: "GET", path: "/feeds/tokenlist.json", auth: "public", site: true },
  listEvents: { method: "GET", path: "/events", auth: "public" },
  getPool: { method: "GET", path: "/pools/{address}", auth: "public" },
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
  listClearSigning: { method: "GET", path: "/.well-known/erc7730", auth: "public", site: true },
  getClearSigning: { method: "GET", path: "/.well-known/erc7730/{name}", auth: "public", site: true },
  getWallet: { method: "GET", path: "/wallets/{address}", auth: "public" },
  streamLive: { method: "GET", path: "/stream", auth: "public", client: false },
  createIntent: { method: "POST", path: "/intents", auth: "bearer", idempotent: true },
  listIntents: { method: "GET", path: "/intents", auth: "bearer" },
  deleteIntent: { method: "DELETE", path: "/intents/{id}", auth: "bearer" },
  getIntent: { method: "GET", path: "/intents/{id}", auth: "bearer" },
  getIntentProgress: { method: "GET", path: "/intents/{id}/progress", auth: "bearer" },
  putIntentOptions: { method: "PUT", path: "/intents/{id}/options", auth: "bearer" },
  uploadImage: { method: "POST", path: "/images", auth: "bearer", multipart: true },
  getImage: { method: "GET", path: "/media/{name}", auth: "public", site: true, client: false },
  getImageSize: { method: "GET", path: "/media/{sha256}/{size}", auth: "public", site: true, client: false },
  prepareSplitter: { method: "POST", path: "/splits/transactions", auth: "bearer" },
  prepareLaunch: { method: "POST", path: "/launch/transactions", auth: "bearer" },
  prepareLaunchCalls: { method: "POST", path: "/launch/calls", auth: "bearer" },
  prepareLaunchCancellation: { method: "POST", path: "/launch/cancel/transactions", auth: "bearer" },
  previewLaunch: { method: "POST", path: "/launch/preview", auth: "bearer" },
  quoteTrade: { method: "POST", path: "/trade/quote", auth: "bearer" },
  prepareTrade: { method: "POST", path: "/trade/transactions", auth: "bearer" },
  prepareTradeCalls: { method: "POST", path: "/trade/calls", auth: "bearer" },
  quoteGas: { method: "POST", path: "/gas/quote", auth: "bearer" },
  topUpGas: { method: "POST", path: "/gas/topup", auth: "bearer" },
  getTopUp: { method: "GET", path: "/gas/topups/{hash}", auth: "bearer" },
  prepareFeeClaim: { method: "POST", path: "/fees/claim-transactions", auth: "bearer" },
  getFeePositions: { method: "GET", path: "/fees/positions", auth: "bearer" },
  getFeePending: { method: "GET", path: "/fees/pending", auth: "bearer" },
  prepareClaimCalls: { method: "POST", path: "/fees/claim-calls", auth: "bearer" },
  preparePayout: { method: "POST", path: "/fees/payout-transactions", auth: "bearer" },
  findRecipient: { method: "GET", path: "/recipients", auth: "bearer" },
  listBusinesses: { method: "GET", path: "/businesses", auth: "public" },
  getBusiness: { method: "GET", path: "/businesses/{id}", auth: "public" },
  createBusiness: { method: "POST", path: "/businesses", auth: "bearer", idempotent: true },
  replaceBusiness: { method: "PUT", path: "/businesses/{id}", auth: "bearer", conditional: true },
  withdrawBusiness: { method: "DELETE", path: "/businesses/{id}", auth: "bearer", conditional: true },
  proveWebsite: { method: "POST", path: "/businesses/{id}/website-proof", auth: "bearer" },
  listOwnBusinesses: { method: "GET", path: "/api/account/businesses", auth: "bearer", site: true },
  getDirectory: { method: "GET", path: "/directory", auth: "public" },
  getForecastInfo: { method: "GET", path: "/api/forecast", auth: "public", site: true },
  forecastLine: { method: "POST", path: "/api/forecast/line", auth: "bearer", site: true, idempotent: true },
  listMarkets: { method: "GET", path: "/api/markets", auth: "public", site: true },
  listMarketBars: { method: "GET", path: "/api/markets/{pair}/bars", auth: "public", site: true },
  createAlert: { method: "POST", path: "/api/alerts", auth: "bearer", site: true, idempotent: true },
  listAlerts: { method: "GET", path: "/api/alerts", auth: "bearer", site: true },
  deleteAlert: { method: "DELETE", path: "/api/alerts/{id}", auth: "bearer", site: true },
  confirmAlertAddress: { method: "POST", path: "/api/alerts/confirm", auth: "public", site: true },
  unsubscribeAlertAddress: { method: "POST", path: "/api/alerts/unsubscribe/{ticket}", auth: "public", site: true },
  openUnsubscribePage: {
    method: "GET",
    path: "/api/alerts/unsubscribe/{ticket}",
    auth: "public",
    site: true,
    client: false,
  },
  listRisk: { method: "GET", path: "/api/risk", auth: "bearer", site: true },
  getRisk: { method: "GET", path: "/api/risk/{pair}", auth: "bearer", site: true },
  getLatestSignals: { method: "GET", path: "/api/trading-bot/public-signals-latest", auth: "public", site: true },
  listSignals: { method: "GET", path: "/api/trading-bot/public-signals", auth: "public", site: true },
  getSignalRecords: { method: "GET", path: "/api/trading-bot/signal-records", auth: "public", site: true },
  createSignInNonce: { method: "POST", path: "/api/auth/siwe/nonce", auth: "public", site: true },
  signIn: { method: "POST", path: "/api/auth/siwe/verify", auth: "public", site: true },
  getSession: { method: "GET", path: "/api/auth/session", auth: "bearer", site: true },
  signOut: { method: "POST", path: "/api/auth/sign-out", auth: "bearer", site: true },
  startLink: { method: "POST", path: "/api/auth/link-social", auth: "bearer", site: true },
  finishLink: { method: "GET", path: "/api/auth/callback/{provider}", auth: "public", site: true, client: false },
  getAccount: { method: "GET", path: "/api/account", auth: "bearer", site: true },
  renameAccount: { method: "PATCH", path: "/api/account", auth: "bearer", site: true },
  linkWallet: { method: "POST", path: "/api/account/wallets", auth: "bearer", site: true },
  unlinkWallet: { method: "DELETE", path: "/api/account/wallets/{address}", auth: "bearer", site: true },
  listConnections: { method: "GET", path: "/connections", auth: "bearer" },
  unlinkConnection: { method: "DELETE", path: "/api/account/connections/{provider}", auth: "bearer", site: true },
  listCredits: { method: "GET", path: "/api/account/credits", auth: "bearer", site: true },
  createApiKey: { method: "POST", path: "/api/account/keys", auth: "bearer", site: true },
  listApiKeys: { method: "GET", path: "/api/account/keys", auth: "bearer", site: true },
  revokeApiKey: { method: "DELETE", path: "/api/account/keys/{id}", auth: "bearer", site: true },
  listSessions: { method: "GET", path: "/api/account/sessions", auth: "bearer", site: true },
  endSessions: { method: "DELETE", path: "/api/account/sessions", auth: "bearer", site: true },
  endSession: { method: "DELETE", path: "/api/account/sessions/{id}", auth: "bearer", site: true },
  listAccountEvents: { method: "GET", path: "/api/account/events", auth: "bearer", site: true },
  exportAccount: { method: "GET", path: "/api/account/export", auth: "bearer", site: true },
  deleteAccount: { method: "DELETE", path: "/api/account", auth: "bearer", site: true },
  listAccounts: { method: "GET", path: "/api/admin/accounts", auth: "bearer", site: true },
  startPlan: { method: "POST", path: "/api/admin/plans", auth: "bearer", site: true },
  grantCredits: { method: "POST", path: "/api/admin/credits", auth: "bearer", site: true, idempotent: true },
  moderateListing: { method: "PATCH", path: "/api/admin/listings/{id}", auth: "bearer", site: true },
  moderateToken: { method: "PATCH", path: "/api/admin/tokens/{id}", auth: "bearer", site: true },
  moderateImage: { method: "PATCH", path: "/api/admin/images/{id}", auth: "bearer", site: true },
  createReport: { method: "POST", path: "/reports", auth: "public" },
  listDeniedImages: { method: "GET", path: "/api/admin/denied-images", auth: "bearer", site: true },
  denyImages: { method: "POST", path: "/api/admin/denied-images", auth: "bearer", site: true },
  removeDenial: { method: "DELETE", path: "/api/admin/denied-images/{id}", auth: "bearer", site: true },
} as const satisfies Record<string, Endpoint>;

export type OperationName = keyof typeof endpoints;
