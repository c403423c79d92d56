import { z } from "zod";
import type { Clock } from "../../clock.ts";
import type { Secret } from "../../secret.ts";
import { PinningError, type PinningService } from "./pinningService.ts";
import { requestPinning, requireCid } from "./requestPinning.ts";

const pinStatus = z.object({
  requestid: z.string().min(1).max(200),
  status: z.enum(["queued", "pinning", "pinned", "failed"]),
  pin: z.object({ cid: z.string() }),
});
const pinResults = z.object({ results: z.array(pinStatus) });

/** The interval between requests for the status of a pin. */
const pollMs = 500;

/**
 * Requests pins of pictures by their CID; the service fetches them from IPFS itself, e.g. from the nodes of `origins`.
 * Source: IPFS Pinning Service API 1.0.0, https://ipfs.github.io/pinning-services-api-spec
 */
export function createPsaPinning(options: {
  url: string;
  token: Secret | undefined;
  origins: readonly string[];
  clock: Pick<Clock, "sleep">;
}): PinningService {
  const { url, token, origins, clock } = options;
  return {
    pin: async ({ cid, name }, signal) => {
      const get = <T>(path: string, schema: z.ZodType<T>) =>
        requestPinning(`${url}${path}`, { method: "GET", token, schema, signal });
      // An earlier attempt may have created the request: one picture has one request.
      const { results } = await get(`/pins?cid=${cid}&status=queued,pinning,pinned`, pinResults);
      const body = { cid, name, ...(origins.length > 0 && { origins }) };
      let current =
        results.find(({ pin }) => pin.cid === cid) ??
        (await requestPinning(`${url}/pins`, { method: "POST", token, schema: pinStatus, signal, body }));
      for (;;) {
        requireCid(current.pin.cid, cid);
        if (current.status === "pinned") return;
        if (current.status === "failed") throw new PinningError("pinning_refused");
        await clock.sleep(pollMs, signal).catch(() => {
          throw new PinningError("pinning_pending");
        });
        current = await get(`/pins/${encodeURIComponent(current.requestid)}`, pinStatus).catch((error: unknown) => {
          throw signal.aborted ? new PinningError("pinning_pending") : error;
        });
      }
    },
  };
}
