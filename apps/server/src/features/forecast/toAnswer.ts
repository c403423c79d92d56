import { createHash } from "node:crypto";
import {
  creditsPerForecast,
  type ForecastLineAnswer,
  type ForecastLineRequest,
  forecastLineAnswer,
} from "@slipway/protocol/forecast";
import { modelVersion } from "@slipway/quant/forecast/models";
import type { SeriesForecast } from "../../compute/forecastSeries.ts";

const disclaimer =
  "An estimate from the history of the series, not advice. What happens can lie outside of every interval.";

/** Serializes a request; equal requests have equal text, independent of their JSON formatting. */
export const toCanonicalText = ({ series, prediction_length, interval, known_future }: ForecastLineRequest): string =>
  JSON.stringify([interval, prediction_length, series, ...(known_future === undefined ? [] : [known_future])]);

/** Converts a forecast to the wire format. @throws ZodError if the model returned a value that is not a number. */
export function toAnswer(request: ForecastLineRequest, line: SeriesForecast): ForecastLineAnswer {
  const { forecast, mean, quantiles, intervals, model, diagnostics, covariates } = line;
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
        errors_by_step: {
          forecast: backtest.errorsByStep.forecast,
          last_value: backtest.errorsByStep.lastValue,
          seasonal_naive: backtest.errorsByStep.seasonalNaive,
        },
      },
      known_future: covariates && { used: covariates.used, relative_error: covariates.relativeError },
      warnings: diagnostics.warnings,
    },
    credits: { charged: creditsPerForecast },
    disclaimer,
  });
}
