const below = [200, 400, 404, 503];
const guarded = [200, 400, 401, 403, 422, 503];

/** The statuses in the specification for each endpoint of this part of the service. */
export const specStatuses: Record<string, readonly number[]> = {
  "GET /config": [200, 400, 422, 503],
  "GET /tokens": below,
  "GET /analytics": below,
  "GET /tokens/{address}": below,
  "GET /tokens/{address}/trades": below,
  "GET /tokens/{address}/candles": below,
  "POST /intents": [200, 201, 400, 401, 403, 409, 422, 503],
  "GET /intents": guarded,
  "POST /images": [200, 400, 401, 403, 413, 415, 422, 503],
  "GET /connections": guarded,
  "POST /splits/transactions": guarded,
  "POST /launch/transactions": guarded,
  "POST /trade/quote": guarded,
  "POST /trade/transactions": guarded,
  "POST /fees/claim-transactions": guarded,
  "GET /fees/positions": guarded,
  "POST /gas/quote": [200, 422, 503],
  "POST /gas/topup": [200, 422, 503],
  "GET /businesses": [200, 400, 503],
  "POST /businesses": [200, 201, 400, 401, 403, 409, 422, 503],
  "GET /businesses/{id}": [200, 400, 404, 503],
  "GET /directory": [200, 400, 503],
  "GET /gallery": [200, 400, 503],
  "GET /qr.png": [200, 400],
};
