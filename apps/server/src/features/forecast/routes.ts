import {
  forecastInfo,
  forecastIntervals,
  forecastLimits,
  forecastLineAnswer,
  forecastLineRequest,
} from "@slipway/protocol/forecast";
import { idempotencyKey } from "@slipway/protocol/intent";
import { modelVersion } from "@slipway/quant/forecast/models";
import { z } from "zod";
import { getCreditBalance } from "../../accounts/credits.ts";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, publicRoute, type Route } from "../../route.ts";
import { createRunForecast } from "./createRunForecast.ts";
import { creditsPerForecast } from "./toAnswer.ts";

/** Twice the longest series, each value with all its digits. */
const maxBodyBytes = 128 * 1024;

/** Routes that forecast. */
export function forecastRoutes(deps: Deps): Route[] {
  const runForecast = createRunForecast(deps);
  return [
    publicRoute({
      method: "GET",
      path: "/api/forecast",
      site: true,
      name: "getForecastInfo",
      tag: "Market data",
      summary: "Get what a forecast takes and costs",
      description: "They are the same for every caller, and change with a version of the service only.",
      answers: { 200: { description: "Limits, intervals, cost and version", schema: forecastInfo } },
      errors: [],
      cache: "public-10s",
      handle: async () => ({
        ...forecastLimits,
        intervals: forecastIntervals,
        levels: [50, 80, 95],
        credits: creditsPerForecast,
        model_version: modelVersion,
      }),
    }),

    guardedRoute({
      method: "POST",
      path: "/api/forecast/line",
      site: true,
      name: "forecastLine",
      tag: "Market data",
      summary: "Forecast a series",
      description:
        "Forecasts the next values of a series with intervals. Where the series has no season in which a model was better " +
        "than its last value, the forecast is the last value, and a warning says so. A series without negative values " +
        "has no negative forecast. Equal requests have equal answers, to the byte, as long as `model_version` is the " +
        "same. With an Idempotency-Key a retry within 24 hours gets the stored answer and costs nothing; another body " +
        "is 409. A failed attempt does not use the key.",
      schemas: {
        headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
        body: forecastLineRequest,
      },
      bodyLimit: { bytes: maxBodyBytes, field: "series" },
      credits: creditsPerForecast,
      answers: {
        200: { description: "The forecast", schema: forecastLineAnswer, headers: ["Credits-Remaining"] },
      },
      errors: ["idempotency_key_reused"],
      handle: async ({ principal: { accountId }, requestId, headers, body, reply }) => {
        const bytes = await runForecast({ accountId, requestId, key: headers["idempotency-key"], body });
        reply.header("credits-remaining", String(await getCreditBalance(deps.db.api, accountId)));
        return new CachedResponse(bytes, null);
      },
    }),
  ];
}
