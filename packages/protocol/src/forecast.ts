import { z } from "zod";

/** The time between two values of a series, the shortest first. */
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

/** How many values a series has, and how many of the next ones are forecast. */
export const forecastLimits = {
  series: { min: 10, max: 4_096 },
  prediction_length: { min: 1, max: 256 },
} as const;

/** What one forecast costs. */
export const creditsPerForecast = 1;

const { series: seriesLimits, prediction_length: lengthLimits } = forecastLimits;

// The count is checked before the values, and the first wrong value alone is named: a body of many wrong ones costs no more
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
  .describe("The values, the oldest first, all the same time apart. Missing ones are to be filled before.");

/** A request for a forecast. */
export const forecastLineRequest = z
  .strictObject({
    series,
    prediction_length: z
      .int()
      .min(lengthLimits.min)
      .max(lengthLimits.max)
      .describe("How many of the next values to forecast, at most as many as the series has."),
    interval: z.enum(forecastIntervals).describe("The time between two values of the series."),
  })
  .refine((body) => body.prediction_length <= body.series.length, {
    path: ["prediction_length"],
    message: "must be at most the length of series",
  })
  .meta({ id: "ForecastLineRequest", description: "A series and how far to forecast it." });

export type ForecastLineRequest = z.output<typeof forecastLineRequest>;

const values = z.array(z.number()).min(lengthLimits.min).max(lengthLimits.max);

const backtest = z
  .object({
    origins: z.int().positive().describe("How many earlier ends of the series were forecast."),
    mase: z.number().nullable().describe("Mean absolute error divided by that of the seasonal naive forecast."),
    relative_to_last_value: z
      .number()
      .nullable()
      .describe("Mean absolute error divided by that of the last value: below 1 is better than it."),
    coverage_80: z.number().nullable().describe("The share of values within the interval of 80%."),
    coverage_95: z.number().nullable().describe("The share of values within the interval of 95%."),
  })
  .meta({ id: "ForecastBacktest", description: "The same method on earlier ends, each without what came after it." });

/** A forecast. */
export const forecastLineAnswer = z
  .object({
    id: z
      .string()
      .regex(/^fc_[0-9a-f]{24}$/)
      .describe("Of the request and the version of the model: equal ones have equal answers."),
    interval: z.enum(forecastIntervals),
    prediction_length: z.int().positive(),
    forecast: values.describe("The point forecast: the quantile 0.5."),
    mean: values.describe("It differs from the point forecast where the intervals are skewed."),
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
      .describe("By probability. They never cross."),
    intervals: z
      .array(z.object({ level: z.int().describe("50, 80 or 95 percent."), lower: values, upper: values }))
      .describe("The quantiles as intervals by level."),
    model: z.object({
      name: z.enum(["ensemble", "last_value"]).describe("`last_value` where no model was better on the series."),
      version: z.string(),
      seasonal_periods: z.array(z.int().positive()).describe("In values."),
      members: z.array(z.object({ name: z.string(), weight: z.number() })),
    }),
    diagnostics: z.object({
      n_obs: z.int().positive().describe("How many values the series has."),
      n_used: z.int().positive().describe("How many of them the forecast used."),
      seasonal: z.boolean(),
      seasonal_strength: z
        .number()
        .nullable()
        .describe("The autocorrelation that decides whether the series is seasonal; null where no season fits."),
      backtest: backtest.nullable().describe("Null when the series is too short or constant."),
      warnings: z.array(z.enum(["no_skill_over_last_value", "short_series", "constant_series", "level_shift"])),
    }),
    credits: z.object({ charged: z.int().positive() }),
    disclaimer: z.string(),
  })
  .meta({ id: "ForecastLine", description: "A forecast with its quantiles, and how the method did on the series." });

export type ForecastLineAnswer = z.infer<typeof forecastLineAnswer>;

const bounds = z.object({ min: z.int(), max: z.int() });

/** What a forecast takes and costs. */
export const forecastInfo = z
  .object({
    series: bounds.describe("How many values a series has."),
    prediction_length: bounds,
    intervals: z.array(z.enum(forecastIntervals)),
    levels: z.array(z.int()).describe("The levels of the intervals, in percent."),
    credits: z.int().positive().describe("What one forecast costs."),
    model_version: z.string().describe("It changes whenever the same series could have another forecast."),
  })
  .meta({ id: "ForecastInfo", description: "What a forecast takes and costs." });
