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
] as const;

/** The limits of the length of a series and of the number of forecast values. */
export const forecastLimits = {
  series: { min: 10, max: 4_096 },
  prediction_length: { min: 1, max: 256 },
} as const;

/** The cost of a forecast in credits. */
export const creditsPerForecast = 1;

const { series: seriesLimits, prediction_length: lengthLimits } = forecastLimits;

// Checks the count before the values and reports only the first invalid value, so that many invalid values cost no more
// than one.
const series = z
  .array(z.unknown())
  .min(seriesLimits.min)
  .max(seriesLimits.max)
  .transform((values, context) => {
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) context.addIssue({ code: "custom", path: [at], message: "must be a finite number" });
    return values as number[];
  })
  .meta({ override: { type: "array", items: { type: "number" } } })
  .describe("The values, oldest first, at equal intervals. Fill in missing values before you send them.");

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
  })
  .refine((body) => body.prediction_length <= body.series.length, {
    path: ["prediction_length"],
    message: "must be at most the length of series",
  })
  .meta({ id: "ForecastLineRequest", description: "A series and the number of values to forecast." });

export type ForecastLineRequest = z.output<typeof forecastLineRequest>;

const values = z.array(z.number()).min(lengthLimits.min).max(lengthLimits.max);

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
    forecast: values.describe("The point forecast: the quantile 0.5."),
    mean: values.describe("The mean; it differs from the point forecast if the intervals are skewed."),
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

const bounds = z.object({ min: z.int(), max: z.int() });

/** The limits and the cost of a forecast. */
export const forecastInfo = z
  .object({
    series: bounds.describe("The minimum and maximum length of a series."),
    prediction_length: bounds,
    intervals: z.array(z.enum(forecastIntervals)),
    levels: z.array(z.int()).describe("The levels of the intervals, in percent."),
    credits: z.int().positive().describe("The cost of one forecast in credits."),
    model_version: z.string().describe("The model version; it changes when the same series can get another forecast."),
  })
  .meta({ id: "ForecastInfo", description: "The limits and the cost of a forecast." });
