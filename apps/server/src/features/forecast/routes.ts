import { creditsPerForecast, forecastIntervals, forecastLimits } from "@slipway/protocol/forecast";
import { modelVersion } from "@slipway/quant/forecast/models";
import { getCreditBalance } from "../../accounts/credits.ts";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createRunForecast } from "./createRunForecast.ts";

/** Routes that forecast. */
export function forecastRoutes(deps: Deps): Route[] {
  const runForecast = createRunForecast(deps);
  return [
    createRoute("getForecastInfo", {
      cache: "public-10s",
      handle: async () => ({
        ...forecastLimits,
        intervals: forecastIntervals,
        levels: [50, 80, 95],
        credits: creditsPerForecast,
        model_version: modelVersion,
      }),
    }),

    createRoute("forecastLine", {
      handle: async ({ principal: { accountId }, requestId, headers, body, reply }) => {
        const bytes = await runForecast({ accountId, requestId, key: headers["idempotency-key"], body });
        reply.header("credits-remaining", String(await getCreditBalance(deps.db.api, accountId)));
        return new CachedResponse(bytes, null);
      },
    }),
  ];
}
