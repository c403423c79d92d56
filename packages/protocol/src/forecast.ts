import { z } from "zod";

/** The time between two values of a series, shortest first. */
export const forecastIntervals = [
  "MINUTE_1",
  "MINUTE_5",
  "MINUTE_15",
  "MINUTE_30",
  "HOUR_1",
  "HOUR_4",
  "HOUR_12",
  "DAY_1",
  "WEEK_1",
  "MONTH_1",
  "QUARTER_1",
  "YEAR_1",
] as const;

/** The limits of the length of a series and of the number of forecast values. */
export const forecastLimits = {
  series: { min: 10, max: 4_096 },
  prediction_length: { min: 1, max: 256 },
} as const;

/** The maximum number of covariates of a series. */
export const maxKnownFuture = 4;

/**
 * The limits of one request with several series: the number of series, of values (of series and of covariates) and of
 * forecast values.
 */
export const forecastBatchLimits = { series: 64, values: 32_768, prediction_lengths: 4_096 } as const;

/** The cost of the forecast of one series in credits. */
export const creditsPerForecast = 1;

const { series: seriesLimits, prediction_length: lengthLimits } = forecastLimits;

// Checks the count before the values and reports only the first invalid value, so that many invalid values cost no more
// than one.
const finiteNumbers = (min: number, max: number) =>
  z
    .array(z.unknown())
    .min(min)
    .max(max)
    .transform((values, context) => {
      const at = values.findIndex((value) => !Number.isFinite(value));
      if (at >= 0) context.addIssue({ code: "custom", path: [at], message: "must be a finite number" });
      return values as number[];
    })
    .meta({ override: { type: "array", items: { type: "number" } } });

const series = finiteNumbers(seriesLimits.min, seriesLimits.max).describe(
  "The values, oldest first, at equal intervals. Fill in missing values before you send them.",
);

const covariate = finiteNumbers(seriesLimits.min + lengthLimits.min, seriesLimits.max + lengthLimits.max);

/** A request for a forecast. */
export const forecastLineRequest = z
  .strictObject({
    series,
    prediction_length: z
      .int()
      .min(lengthLimits.min)
      .max(lengthLimits.max)
      .describe("The number of values to forecast; at most the length of the series."),
    interval: z.enum(forecastIntervals).describe("The time between two values of the series."),
    known_future: z
      .array(covariate)
      .min(1)
      .max(maxKnownFuture)
      .optional()
      .describe(
        "Covariates whose future values are known, such as planned events: for each covariate one number for each " +
          "value of the series, then one for each value of the forecast. Hours, weekdays and seasons are built in.",
      ),
  })
  .refine((body) => body.prediction_length <= body.series.length, {
    path: ["prediction_length"],
    message: "must be at most the length of series",
  })
  .refine(
    ({ series, prediction_length, known_future }) =>
      known_future?.every((values) => values.length === series.length + prediction_length) ?? true,
    { path: ["known_future"], message: "each covariate needs as many numbers as series and forecast together" },
  )
  .meta({ id: "ForecastLineRequest", description: "A series and the number of values to forecast." });

export type ForecastLineRequest = z.output<typeof forecastLineRequest>;

/** The number of values of a request, with its covariates. */
const countValues = ({ series, known_future }: ForecastLineRequest) =>
  (known_future ?? []).reduce((sum, values) => sum + values.length, series.length);

const sum = (items: readonly ForecastLineRequest[], count: (item: ForecastLineRequest) => number) =>
  items.reduce((total, item) => total + count(item), 0);

/** A request for the forecasts of several series. */
export const forecastLinesRequest = z
  .strictObject({
    items: z
      .array(forecastLineRequest)
      .min(1)
      .max(forecastBatchLimits.series)
      .describe("The series; each is a request of its own, forecast without the others."),
  })
  .refine(({ items }) => sum(items, countValues) <= forecastBatchLimits.values, {
    path: ["items"],
    message: `must have at most ${forecastBatchLimits.values} values of series and covariates in total`,
  })
  .refine(({ items }) => sum(items, (item) => item.prediction_length) <= forecastBatchLimits.prediction_lengths, {
    path: ["items"],
    message: `must have at most ${forecastBatchLimits.prediction_lengths} forecast values in total`,
  })
  .meta({ id: "ForecastLinesRequest", description: "Several series and the numbers of values to forecast." });

export type ForecastLinesRequest = z.output<typeof forecastLinesRequest>;

const values = z.array(z.number()).min(lengthLimits.min).max(lengthLimits.max);

const errors = z.array(z.number());

const backtest = z
  .object({
    origins: z.int().positive().describe("The number of earlier ends of the series that were forecast."),
    mase: z.number().nullable().describe("Mean absolute error divided by that of the seasonal naive forecast."),
    relative_to_last_value: z
      .number()
      .nullable()
      .describe("Mean absolute error divided by the error of the last value; below 1 is better than the last value."),
    coverage_80: z.number().nullable().describe("The share of values inside the 80% interval."),
    coverage_95: z.number().nullable().describe("The share of values inside the 95% interval."),
    errors_by_step: z
      .object({
        forecast: errors.describe("The errors of the method."),
        last_value: errors.describe("The errors of the last value before each end."),
        seasonal_naive: errors.nullable().describe("The errors of a repetition of the last season; null without one."),
      })
      .describe(
        "Mean absolute errors at each step ahead, in units of the series. The ensemble is evaluated over two seasons, " +
          "the last value over `prediction_length`.",
      ),
  })
  .meta({
    id: "ForecastBacktest",
    description: "The results of the same method on earlier ends of the series, without later values.",
  });

/** A forecast. */
export const forecastLineAnswer = z
  .object({
    id: z
      .string()
      .regex(/^fc_[0-9a-f]{24}$/)
      .describe("A hash of the request and the model version; equal ids have equal answers."),
    interval: z.enum(forecastIntervals),
    prediction_length: z.int().positive(),
    forecast: values.describe(
      "The point forecast: the quantile 0.5. Quantiles have at most the decimals of the series.",
    ),
    mean: values.describe(
      "The mean; it is not rounded to the decimals of the series, and differs more if the intervals are skewed.",
    ),
    quantiles: z
      .object({
        "0.025": values,
        "0.1": values,
        "0.25": values,
        "0.5": values,
        "0.75": values,
        "0.9": values,
        "0.975": values,
      })
      .describe("The quantiles by probability; they never cross."),
    intervals: z
      .array(z.object({ level: z.int().describe("50, 80 or 95 percent."), lower: values, upper: values }))
      .describe("The quantiles as intervals by level."),
    model: z.object({
      name: z
        .enum(["ensemble", "last_value"])
        .describe("The chosen method; `last_value` if no model was better on this series."),
      version: z.string(),
      seasonal_periods: z.array(z.int().positive()).describe("The length of the season, in values."),
      members: z.array(z.object({ name: z.string(), weight: z.number() })),
    }),
    diagnostics: z.object({
      n_obs: z.int().positive().describe("The number of values in the series."),
      n_used: z.int().positive().describe("The number of values that the forecast used."),
      seasonal: z.boolean(),
      seasonal_strength: z
        .number()
        .nullable()
        .describe("The autocorrelation that decides if the series is seasonal; null if no season fits."),
      backtest: backtest.nullable().describe("Null when the series is too short or constant."),
      known_future: z
        .object({
          used: z.boolean().describe("False if the covariates did not reduce the error by more than chance."),
          relative_error: z
            .number()
            .nullable()
            .describe(
              "The mean absolute error of one step with the covariates, divided by the error without them, on values " +
                "of the series that were excluded from the estimate; null if not used.",
            ),
        })
        .nullable()
        .describe("The effect of `known_future`; null for a request without it. The backtest excludes this effect."),
      warnings: z.array(z.enum(["no_skill_over_last_value", "short_series", "constant_series", "level_shift"])),
    }),
    credits: z.object({ charged: z.int().positive() }),
    disclaimer: z.string(),
  })
  .meta({
    id: "ForecastLine",
    description: "A forecast with its quantiles, and the results of the method on the series.",
  });

export type ForecastLineAnswer = z.infer<typeof forecastLineAnswer>;

/** The forecasts of several series. */
export const forecastLinesAnswer = z
  .object({
    items: z
      .array(forecastLineAnswer)
      .min(1)
      .max(forecastBatchLimits.series)
      .describe("The forecasts in the order of the request, each equal to the answer for that series alone."),
    credits: z
      .object({ charged: z.int().positive().describe("The credits of all series together.") })
      .describe("The cost of the request in credits."),
  })
  .meta({ id: "ForecastLines", description: "The forecasts of several series." });

const bounds = z.object({ min: z.int(), max: z.int() });

const intervalAccuracy = z
  .object({
    interval: z.enum(forecastIntervals).describe("The time between two values of a series."),
    priors: z
      .enum(["own", "hourly"])
      .describe("The data of the learned priors: of this interval, or of hours for lack of data."),
    measured: z
      .object({
        data: z.string().describe("The evaluated data."),
        forecasts: z.int().positive().describe("The number of evaluated forecasts."),
        owa: z
          .number()
          .nullable()
          .describe("The error beside Naive2, which is 1 (the OWA of the M4 competition); null for prices."),
        relative_to_last_value: z.number().describe("Mean absolute error divided by the error of the last value."),
        coverage_95: z.number().describe("The share of values inside the 95% interval."),
      })
      .nullable()
      .describe("Null if the accuracy was not measured."),
  })
  .meta({ id: "ForecastAccuracy", description: "The measured accuracy of forecasts at one interval." });

/** The limits and the cost of a forecast. */
export const forecastInfo = z
  .object({
    series: bounds.describe("The minimum and maximum length of a series."),
    prediction_length: bounds,
    intervals: z.array(z.enum(forecastIntervals)),
    levels: z.array(z.int()).describe("The levels of the intervals, in percent."),
    credits: z.int().positive().describe("The cost of the forecast of one series in credits."),
    known_future: z
      .object({ max: z.int().positive().describe("The maximum number of covariates of a series.") })
      .describe("The limit of `known_future`."),
    batch: z
      .object({
        series: z.int().positive().describe("The maximum number of series."),
        values: z.int().positive().describe("The maximum number of values of all series and covariates."),
        prediction_lengths: z.int().positive().describe("The maximum number of forecast values of all series."),
      })
      .describe("The limits of a request with several series."),
    accuracy: z
      .array(intervalAccuracy)
      .describe("The measured accuracy of each interval, on data that did not train the model."),
    model_version: z.string().describe("The model version; it changes when the same series can get another forecast."),
  })
  .meta({ id: "ForecastInfo", description: "The limits and the cost of a forecast." });
