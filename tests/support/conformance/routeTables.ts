/** Guarded operations on accounts, below the site's root. */
export const accountRoutes = [
  "GET /api/auth/session",
  "POST /api/auth/sign-out",
  "POST /api/auth/link-social",
  "GET /api/account",
  "PATCH /api/account",
  "DELETE /api/account",
  "GET /api/account/export",
  "POST /api/account/wallets",
  "DELETE /api/account/wallets/{address}",
  "DELETE /api/account/connections/{provider}",
  "GET /api/account/credits",
  "GET /api/account/events",
  "POST /api/account/keys",
  "GET /api/account/keys",
  "DELETE /api/account/keys/{id}",
  "GET /api/account/sessions",
  "DELETE /api/account/sessions",
  "DELETE /api/account/sessions/{id}",
  "GET /api/admin/accounts",
  "POST /api/admin/plans",
  "POST /api/admin/credits",
] as const;

/** Operations that anybody may call, whose answer depends on what a browser and a wallet bring. */
export const signInRoutes = [
  "POST /api/auth/siwe/nonce",
  "POST /api/auth/siwe/verify",
  "GET /api/auth/callback/{provider}",
] as const;

/** Operations that need a credential. Source: spec, Authentication 5. A new route must be put into one of the tables. */
export const guardedRoutes = [
  "POST /intents",
  "GET /intents",
  "DELETE /intents/{id}",
  "POST /splits/transactions",
  "POST /launch/transactions",
  "POST /trade/quote",
  "POST /trade/transactions",
  "POST /fees/claim-transactions",
  "GET /fees/positions",
  "POST /gas/quote",
  "POST /gas/topup",
  "GET /gas/topups/{hash}",
  "GET /connections",
  ...accountRoutes,
] as const;

/** Operations that anybody may call. Source: spec, Authentication 4 and 8; api.md, Public reads. */
export const openRoutes = [
  "GET /config",
  "GET /tokens",
  "GET /analytics",
  "GET /tokens/{address}",
  "GET /tokens/{address}/trades",
  "GET /tokens/{address}/candles",
  "GET /qr.png",
  "GET /stream",
  "GET /healthz",
  "GET /readyz",
  "GET /metrics",
] as const;

/** Open routes whose answers a shared cache may keep for ten seconds. */
export const cachedRoutes = openRoutes.slice(0, 7);
