/**
 * Settings of a server for tests that are not about limits: a test sends more requests from one address than a normal
 * client, and a busy machine lags for reasons outside of the server.
 */
export const unlimited = {
  READ_LIMIT_PER_SECOND: "1000000",
  READ_LIMIT_BURST: "1000000",
  WRITE_LIMIT_PER_SECOND: "1000000",
  WRITE_LIMIT_BURST: "1000000",
  UPLOAD_LIMIT_PER_SECOND: "1000000",
  UPLOAD_LIMIT_BURST: "1000000",
  RATE_LIMIT_STORE_TIMEOUT_MS: "30000",
  CONNECTIONS_PER_ADDRESS: "1000000",
  METRICS_CACHE_MS: "0",
  MAX_HEAP_BYTES: "0",
  MAX_EVENT_LOOP_DELAY_MS: "0",
};
