import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@slipway/sdk/apiError";
import { type Client, createClient } from "@slipway/sdk/createClient";

const retryPauseMs = 250;

/**
 * Creates an SDK client that retries each call for `retryMs` while the service cannot be reached, restarts or returns a
 * retryable error (503, 429).
 */
export function createServiceClient(baseUrl: string, apiKey: string, retryMs: number): Client {
  const methods = Object.entries(createClient({ baseUrl, apiKey })) as [string, (...input: unknown[]) => unknown][];
  const retrying = methods.map(([name, method]) => [
    name,
    async (...input: unknown[]) => {
      const deadline = Date.now() + retryMs;
      for (;;) {
        try {
          return await method(...input);
        } catch (error) {
          const isFinal = error instanceof ApiError && !error.retryable;
          if (isFinal || Date.now() >= deadline) throw error;
          await sleep(retryPauseMs);
        }
      }
    },
  ]);
  return Object.fromEntries(retrying) as Client;
}
