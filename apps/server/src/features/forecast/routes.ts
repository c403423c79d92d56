import {
  creditsPerForecast,
  type ForecastLineRequest,
  type ForecastLinesRequest,
  forecastBatchLimits,
  forecastIntervals,
  forecastLimits,
  maxKnownFuture,
} from "@slipway/protocol/forecast";
import { accuracyByInterval } from "@slipway/quant/accuracy/measuredAccuracy";
import { modelVersion } from "@slipway/quant/forecast/models";
import type { FastifyReply } from "fastify";
import { getCreditBalance } from "../../accounts/credits.ts";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createRunForecast } from "./createRunForecast.ts";

const accuracy = forecastIntervals.map((interval) => {
  const { priors, measured } = accuracyByInterval[interval];
  return {
    interval,
    priors,
    measured: measured && {
      data: measured.data,
      forecasts: measured.forecasts,
      owa: measured.owa,
      relative_to_last_value: measured.relativeToLastValue,
      coverage_95: measured.coverage95,
    },
  };
});

/** Routes that forecast. */
export function forecastRoutes(deps: Deps): Route[] {
  const runForecast = createRunForecast(deps);
  type Request = {
    principal: { accountId: string };
    requestId: string;
    headers: { "idempotency-key"?: string | undefined };
    body: ForecastLineRequest | ForecastLinesRequest;
    reply: FastifyReply;
  };
  const handle = async ({ principal: { accountId }, requestId, headers, body, reply }: Request) => {
    const bytes = await runForecast({ accountId, requestId, key: headers["idempotency-key"], body });
    reply.header("credits-remaining", String(await getCreditBalance(deps.db.api, accountId)));
    return new CachedResponse(bytes, null);
  };
  return [
    createRoute("getForecastInfo", {
      cache: "public-10s",
      handle: async () => ({
        ...forecastLimits,
        intervals: forecastIntervals,
        levels: [50, 80, 95],
        credits: creditsPerForecast,
        known_future: { max: maxKnownFuture },
        batch: forecastBatchLimits,
        accuracy,
        model_version: modelVersion,
      }),
    }),

    createRoute("forecastLine", { handle }),

    // A body of a megabyte costs tens of milliseconds before it is charged or refused.
    createRoute("forecastLines", { limit: "upload", handle }),
  ];
}
