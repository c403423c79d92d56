import { createHash } from "node:crypto";
import {
  creditsPerForecast,
  type ForecastLineAnswer,
  type ForecastLineRequest,
  forecastLineAnswer,
} from "@slipway/protocol/forecast";
import type { ForecastLine } from "@slipway/quant/forecast/forecastLine";
import { modelVersion } from "@slipway/quant/forecast/models";

const disclaimer =
  "An estimate from the history of the series, not advice. What happens can lie outside of every interval.";

/** Serializes a request; equal requests have equal text, independent of their JSON formatting. */
export const toCanonicalText = ({ series, prediction_length, interval }: ForecastLineRequest): string =>
  JSON.stringify([interval, prediction_length, series]);

/** Converts a forecast to the wire format. @throws ZodError if the model returned a value that is not a number. */
export function toAnswer(request: ForecastLineRequest, line: ForecastLine): ForecastLineAnswer {
  const { forecast, mean, quantiles, intervals, model, diagnostics } = line;
  const { backtest } = diagnostics;
  const hash = createHash("sha256")
    .update(`${modelVersion}\n${toCanonicalText(request)}`)
    .digest("hex");
  return forecastLineAnswer.parse({
    id: `fc_${hash.slice(0, 24)}`,
    interval: request.interval,
    prediction_length: request.prediction_length,
    forecast,
    mean,
    quantiles,
    intervals,
    model: {
      name: model.name,
      version: model.version,
      seasonal_periods: model.seasonalPeriods,
      members: model.members,
    },
    diagnostics: {
      n_obs: diagnostics.observations,
      n_used: diagnostics.used,
      seasonal: diagnostics.seasonal,
      seasonal_strength: diagnostics.seasonalStrength,
      backtest: backtest && {
        origins: backtest.origins,
        mase: backtest.mase,
        relative_to_last_value: backtest.relativeToLastValue,
        coverage_80: backtest.coverage80,
        coverage_95: backtest.coverage95,
      },
      warnings: diagnostics.warnings,
    },
    credits: { charged: creditsPerForecast },
    disclaimer,
  });
}
