import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RiskUpdate } from "@slipway/protocol/risk";
import { type DemoContext, DemoFailure } from "./demoContext.ts";
import { drawForecast, formatPrice } from "./drawForecast.ts";

const pair = "BTC_USDT";
const [pastHours, seriesHours, horizon] = [40, 960, 24] as const;
/** The time in which the first start collects 500 days of five markets and computes the results. */
const timeoutMs = 180_000;
const indent = "   ";

const percent = (value: number | null, digits = 1) => (value === null ? "-" : `${(value * 100).toFixed(digits)}%`);

const round = (value: number | null, digits: number) => (value === null ? "-" : value.toFixed(digits));

async function waitFor<T>(what: string, read: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value !== null) return value;
    if (Date.now() > deadline) throw new DemoFailure(`${what} did not come within ${timeoutMs / 1000} s`);
    await sleep(500);
  }
}

/** The maximum time until a server that was just started has stored its markets. */
const marketsTimeoutMs = 10_000;

/** Shows a forecast, a risk update and signals of a market of the local exchange; nothing without an exchange. */
export async function marketSteps(context: DemoContext): Promise<void> {
  const deadline = Date.now() + marketsTimeoutMs;
  while (!(await context.client.listMarkets()).items.some((market) => market.pair === pair)) {
    if (Date.now() > deadline) {
      context.reporter.step("The markets", "This stack has none: it was started with --no-demo.");
      return;
    }
    await sleep(500);
  }
  await forecastStep(context);
  await riskStep(context);
  await signalsStep(context);
}

/** Forecasts the next day of a market from its hourly bars, and draws the forecast with its intervals. */
async function forecastStep({ reporter, client }: DemoContext): Promise<void> {
  reporter.step(
    "A forecast with its intervals",
    `The next ${horizon} hours of ${pair} at the local exchange. Its prices are synthetic.`,
  );
  const bars = await waitFor(`${seriesHours} hours of ${pair}`, async () => {
    const { items } = await client.listMarketBars({ pair, interval: "1h", limit: seriesHours });
    return items.length === seriesHours && Date.now() / 1000 - items.at(-1)!.t < 3 * 3600 ? items : null;
  });
  const series = bars.map(({ c }) => c);
  const request = { series, prediction_length: horizon, interval: "HOUR_1" } as const;
  const idempotencyKey = `demo-${randomUUID()}`;
  const answer = await client.forecastLine(request, { idempotencyKey });
  const [, eighty, ninetyFive] = answer.intervals;
  if (eighty === undefined || ninetyFive === undefined) throw new DemoFailure("the forecast has no intervals");
  const past = series.slice(-pastHours);
  for (const line of drawForecast({ past, median: answer.forecast, narrow: eighty, wide: ninetyFive })) {
    reporter.line(line);
  }
  reporter.line("");
  reporter.line(`${" ".repeat(11)}* price   o forecast   : 80% of cases   . 95% of cases`);
  reporter.line("");
  const columns = ["", "forecast", "80% between", "95% between"];
  const widths = [20, 10, 21, 21];
  const write = (cells: readonly string[]) =>
    reporter.line(
      `${indent}${cells.map((cell, at) => (at === 0 ? cell.padEnd(20) : cell.padStart(widths[at]!))).join("")}`,
    );
  write(columns);
  for (const hour of [1, 6, horizon]) {
    const between = ({ lower, upper }: typeof eighty) =>
      `${formatPrice(lower[hour - 1]!)} - ${formatPrice(upper[hour - 1]!)}`;
    write([`in ${hour} h`, formatPrice(answer.forecast[hour - 1]!), between(eighty), between(ninetyFive)]);
  }
  const { backtest, warnings } = answer.diagnostics;
  const isLastValue = answer.model.name === "last_value";
  reporter.value("method", isLastValue ? "the last value: no model was better" : answer.model.name);
  if (backtest !== null) {
    const { origins, coverage_80: held80, coverage_95: held95 } = backtest;
    reporter.value(
      "earlier ends",
      `${origins}; the 80% interval contained ${percent(held80)} of the values, the 95% ${percent(held95)}`,
    );
  }
  if (warnings.length > 0) reporter.value("warnings", warnings.join(", "));
  const { quantiles } = answer;
  const levels = ["0.025", "0.1", "0.25", "0.5", "0.75", "0.9", "0.975"] as const;
  const isOrdered = answer.forecast.every((_, at) =>
    levels.every((level, n) => n === 0 || quantiles[levels[n - 1]!][at]! <= quantiles[level][at]!),
  );
  reporter.expectTrue(
    "quantiles never cross, and none is below zero",
    isOrdered && quantiles["0.025"].every((one) => one >= 0),
  );
  reporter.expectEqual("the forecast is the quantile 0.5", answer.forecast, quantiles["0.5"]);
  reporter.expectEqual("a retry has the same answer", await client.forecastLine(request, { idempotencyKey }), answer);
}

/** Shows a message of the risk stream, read by the SDK from a socket. */
async function riskStep({ reporter, client, openRisk }: DemoContext): Promise<void> {
  reporter.step("A risk update", `The first message of WS /ws/risk?pair=${pair}; another comes every 30 s.`);
  const { snapshot, history } = await readUpdate(openRisk);
  const { price, volatility, var: valueAtRisk, es, band_24h: band, regime, calibration } = snapshot;
  const between = (range: [number, number] | null) => (range === null ? "-" : range.map(formatPrice).join(" - "));
  reporter.value(
    "price",
    `${price === null ? "-" : formatPrice(price)} (${snapshot.status}, bars until ${snapshot.data_through})`,
  );
  reporter.value(
    "volatility, a day",
    `HAR ${percent(volatility.har_daily, 2)}, GARCH ${percent(volatility.garch_daily, 2)}, EWMA ${percent(volatility.ewma_daily, 2)}`,
  );
  reporter.value(
    "value at risk, 24 h",
    `95%: ${percent(valueAtRisk["95"], 2)}   99%: ${percent(valueAtRisk["99"], 2)} of the price`,
  );
  reporter.value("expected shortfall", `95%: ${percent(es["95"], 2)}   99%: ${percent(es["99"], 2)}`);
  reporter.value("price in 24 h", `80%: ${between(band["80"])}   95%: ${between(band["95"])}`);
  reporter.value("regime", `${regime.label ?? "-"}, score ${round(snapshot.risk_score, 0)} of 100 of its own year`);
  reporter.value(
    "its last 250 days",
    `${calibration.breaches_95 ?? "-"} beyond 95% (${round(calibration.expected_95, 1)} expected), ` +
      `${calibration.breaches_99 ?? "-"} beyond 99% (${round(calibration.expected_99, 1)}): ${calibration.zone ?? "-"}`,
  );
  const numbers = [valueAtRisk["95"], valueAtRisk["99"], es["95"], es["99"]] as number[];
  const [var95, var99, es95, es99] = numbers as [number, number, number, number];
  reporter.expectTrue(
    "the 99% is beyond the 95%, and each shortfall beyond its value at risk",
    var99 >= var95 && es95 >= var95 && es99 >= var99,
  );
  const { items } = await client.listMarketBars({ pair, interval: "1h", limit: 200 });
  const closes = new Map(items.map(({ t, c }) => [t, c]));
  const compared = history.filter(({ time }) => closes.has(time));
  reporter.expectEqual(
    `the prices of its ${compared.length} hours are the closes of the bars`,
    compared.map((one) => one.price),
    compared.map(({ time }) => closes.get(time)),
  );
}

/**
 * Waits for the first message with value at risk, which needs 300 days; a stack collects them within its first minute.
 */
async function readUpdate(openRisk: DemoContext["openRisk"]) {
  const { promise, resolve, reject } = Promise.withResolvers<Extract<RiskUpdate, { snapshot: unknown }>>();
  const timer = setTimeout(() => reject(new DemoFailure(`no risk of ${pair} within ${timeoutMs / 1000} s`)), timeoutMs);
  const { close } = openRisk(pair, {
    onMessage: (update) => {
      if ("snapshot" in update && update.snapshot.var["99"] !== null) resolve(update);
    },
    onEnd: () => reject(new DemoFailure("WS /ws/risk was closed")),
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    close();
  }
}

/** Shows the newest signals of a market, and the outcomes of earlier signals. */
async function signalsStep({ reporter, client }: DemoContext): Promise<void> {
  reporter.step("The latest signals", "The newest signal of each strategy, and earlier results after costs.");
  const signals = await waitFor(`signals of ${pair} with their records`, async () => {
    const { items } = await client.getLatestSignals({ pair });
    return items.some(({ track_record: record }) => record !== null) ? items : null;
  });
  const widths = [21, 7, 15, 9, 7, 8, 10] as const;
  const write = (cells: readonly string[]) =>
    reporter.line(
      `${indent}${cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("")}`,
    );
  write(["strategy", "signal", "at the close", "ended", "hits", "mean bp", "skill"]);
  for (const { strategy, direction, candle_close_at: at, track_record: record, skill } of signals) {
    const time = `${at.slice(5, 10)} ${at.slice(11, 16)}`;
    const numbers =
      record === null
        ? ["-", "-", "-"]
        : [String(record.n), percent(record.hit_rate, 0), record.mean_return_bps.toFixed(1)];
    write([strategy, direction, time, ...numbers, skill]);
  }
  const newest = signals[0]!;
  reporter.value(
    "the newest",
    `${newest.direction} at ${formatPrice(newest.price)}, stop ${formatPrice(newest.stop_loss)}, target ${formatPrice(newest.take_profit)}`,
  );
  const side = newest.direction === "short" ? -1 : 1;
  reporter.expectTrue(
    "its stop and its target are on the two sides of its price",
    side * (newest.take_profit - newest.price) > 0 && side * (newest.price - newest.stop_loss) > 0,
  );
  const { strategy, track_record: record } = signals.find((one) => one.track_record !== null)!;
  const returns = await readReturns(client, strategy, record!.window.to);
  reporter.expectEqual(`the record of ${strategy} counts the ended signals of its history`, record!.n, returns.length);
  reporter.expectClose(
    "its hit rate is the share of profitable signals",
    record!.hit_rate,
    returns.filter((one) => one > 0).length / returns.length,
    1e-5,
  );
  reporter.expectClose(
    "its mean return is the mean of their returns",
    record!.mean_return_bps,
    returns.reduce((a, b) => a + b, 0) / returns.length,
    1e-3,
  );
}

/** Returns the returns in bp of a strategy's signals that had ended when its record was computed. */
async function readReturns(client: DemoContext["client"], strategy: string, until: string): Promise<number[]> {
  const returns: number[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof client.listSignals>> = await client.listSignals({
      pair,
      strategy,
      limit: 200,
      ...(cursor !== null && { cursor }),
    });
    for (const { return_bps: value, resolved_at: at } of page.items) {
      if (value !== null && at !== null && Date.parse(at) <= Date.parse(until)) returns.push(value);
    }
    if (page.next_cursor === null) return returns;
    cursor = page.next_cursor;
  }
}
