import type { Interval } from "../forecast/periods.ts";

/** The accuracy of forecasts at one interval, as `npm run bench -- forecast` measures it. */
export type MeasuredAccuracy = {
  /** The data, in words. */
  data: string;
  forecasts: number;
  /** The overall weighted average of M4 against Naive2; null for prices, which have no season. */
  owa: number | null;
  /** Mean absolute error / error of the last value. */
  relativeToLastValue: number;
  coverage95: number;
};

/** The data by which the priors of an interval were learned, and the measured accuracy; null without data. */
export type IntervalAccuracy = { priors: "own" | "hourly"; measured: MeasuredAccuracy | null };

/** The accuracy by interval; the benchmark fails if it measures other numbers. */
export const accuracyByInterval: Readonly<Record<Interval, IntervalAccuracy>> = {
  MINUTE_1: {
    priors: "hourly",
    measured: {
      data: "minutes of two markets",
      forecasts: 566,
      owa: null,
      relativeToLastValue: 1,
      coverage95: 0.942,
    },
  },
  MINUTE_5: {
    priors: "hourly",
    measured: {
      data: "minutes of two markets",
      forecasts: 375,
      owa: null,
      relativeToLastValue: 1,
      coverage95: 0.949,
    },
  },
  MINUTE_15: {
    priors: "hourly",
    measured: {
      data: "minutes of two markets",
      forecasts: 76,
      owa: null,
      relativeToLastValue: 1,
      coverage95: 0.959,
    },
  },
  MINUTE_30: {
    priors: "hourly",
    measured: {
      data: "minutes of two markets",
      forecasts: 35,
      owa: null,
      relativeToLastValue: 1,
      coverage95: 0.967,
    },
  },
  HOUR_1: {
    priors: "own",
    measured: {
      data: "half of M4 Hourly",
      forecasts: 207,
      owa: 0.361,
      relativeToLastValue: 0.206,
      coverage95: 0.949,
    },
  },
  HOUR_4: {
    priors: "own",
    measured: {
      data: "averages of 4 hours of M4 Hourly",
      forecasts: 207,
      owa: 0.346,
      relativeToLastValue: 0.192,
      coverage95: 0.942,
    },
  },
  HOUR_12: {
    priors: "own",
    measured: {
      data: "averages of 12 hours of M4 Hourly",
      forecasts: 207,
      owa: 0.353,
      relativeToLastValue: 0.272,
      coverage95: 0.948,
    },
  },
  DAY_1: {
    priors: "hourly",
    measured: {
      data: "days of 16 markets",
      forecasts: 553,
      owa: null,
      relativeToLastValue: 1.001,
      coverage95: 0.961,
    },
  },
  WEEK_1: {
    priors: "own",
    measured: {
      data: "half of M4 Weekly",
      forecasts: 180,
      owa: 0.636,
      relativeToLastValue: 0.66,
      coverage95: 0.978,
    },
  },
  MONTH_1: { priors: "hourly", measured: null },
  QUARTER_1: { priors: "hourly", measured: null },
  YEAR_1: { priors: "hourly", measured: null },
};
