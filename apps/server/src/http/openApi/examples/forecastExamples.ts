import { forecastIntervals, forecastLimits } from "@slipway/protocol/forecast";
import { example, type OperationExamples } from "./example.ts";

const request = {
  series: [61.2, 60.8, 61.9, 62.4, 61.7, 62.9, 63.1, 62.6, 63.4, 64],
  prediction_length: 2,
  interval: "HOUR_1",
};

const quantiles = {
  "0.025": [62.0610551, 61.2324814],
  "0.1": [62.9075013, 62.4293838],
  "0.25": [63.4410141, 63.2733124],
  "0.5": [64, 64],
  "0.75": [64.5639112, 64.7350335],
  "0.9": [65.1114719, 65.6101302],
  "0.975": [65.9995224, 66.8926019],
};

const forecast = {
  id: "fc_9575d52a2ba98286a6296f5c",
  interval: request.interval,
  prediction_length: request.prediction_length,
  forecast: quantiles["0.5"],
  mean: [64.0069056, 64.0139322],
  quantiles,
  intervals: [
    { level: 50, lower: quantiles["0.25"], upper: quantiles["0.75"] },
    { level: 80, lower: quantiles["0.1"], upper: quantiles["0.9"] },
    { level: 95, lower: quantiles["0.025"], upper: quantiles["0.975"] },
  ],
  model: { name: "last_value", version: "1", seasonal_periods: [], members: [{ name: "last_value", weight: 1 }] },
  diagnostics: {
    n_obs: 10,
    n_used: 10,
    seasonal: false,
    seasonal_strength: null,
    backtest: null,
    warnings: ["no_skill_over_last_value", "short_series"],
  },
  credits: { charged: 1 },
  disclaimer: "An estimate from the history of the series, not advice. What happens can lie outside of every interval.",
};

const bar = { t: 1_795_348_800, o: 44_138.66, h: 44_734.82, l: 44_131.45, c: 44_723.02 };

/** Markets and forecasts. */
export const forecastExamples: Record<string, OperationExamples> = {
  getForecastInfo: {
    responses: {
      200: example({
        ...forecastLimits,
        intervals: forecastIntervals,
        levels: [50, 80, 95],
        credits: 1,
        model_version: "1",
      }),
    },
  },
  listMarkets: {
    responses: {
      200: example({
        items: [
          {
            ...{ pair: "BTC_USDT", base: "BTC", quote: "USDT", symbol: "BTC", token: null },
            ...{ source: "exchange", exchange: "binance", status: "fresh", reason: null },
            ...{ last_bar_at: "2026-11-22T12:00:00.000Z", first_bar_at: "2024-11-22T13:00:00.000Z" },
            ...{ bars_1h: 17_519, gaps_30d: 1, price: 44_723.02, change_24h: 0.0123 },
          },
        ],
      }),
    },
  },
  listMarketBars: {
    responses: {
      200: example({
        ...{ pair: "BTC_USDT", interval: "1h", quote: "USDT" },
        items: [{ ...bar, v: null, vq: null, n: null, vb: 1931.37 }],
        next_before: 1_795_348_800,
      }),
    },
  },
  forecastLine: { request: example(request), responses: { 200: example(forecast) } },
};
