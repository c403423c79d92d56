/** Operations that need a credential. Source: spec, Authentication 5. A new route must be put into one of the tables. */
export const guardedRoutes = [
  "POST /intents",
  "GET /intents",
  "POST /splits/transactions",
  "POST /launch/transactions",
  "POST /trade/quote",
  "POST /trade/transactions",
  "POST /fees/claim-transactions",
  "GET /fees/positions",
  "POST /gas/quote",
  "POST /gas/topup",
  "GET /gas/topups/{hash}",
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
