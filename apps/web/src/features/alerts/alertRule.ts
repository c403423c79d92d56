import type { AlertMetric } from "@slipway/protocol/alerts";

/** How a metric is entered and shown: fractions as percent, a drawdown without its sign. */
type Shown =
  | { kind: "number"; min: number; max: number; unit: "percent" | "score"; factor: number }
  | { kind: "name"; names: readonly string[] };

/** The API's ranges (`alertMetrics`) in the form's units. Importing `alertMetrics` would load the schemas too. */
export const metrics: Readonly<Record<AlertMetric, Shown>> = {
  var_95: { kind: "number", min: 0, max: 100, unit: "percent", factor: 0.01 },
  var_99: { kind: "number", min: 0, max: 100, unit: "percent", factor: 0.01 },
  volatility_percentile: { kind: "number", min: 0, max: 100, unit: "percent", factor: 0.01 },
  risk_score: { kind: "number", min: 0, max: 100, unit: "score", factor: 1 },
  drawdown: { kind: "number", min: 0, max: 100, unit: "percent", factor: -0.01 },
  regime: { kind: "name", names: ["calm", "normal", "elevated", "stress"] },
  signal: { kind: "name", names: ["long", "short", "flat"] },
};

export const metricNames = Object.keys(metrics) as AlertMetric[];

/** Rounds to 12 significant digits, to remove floating-point noise. */
const tidy = (value: number) => Number(value.toPrecision(12));

/**
 * Converts form input to the API's value: 3.1 (%) value at risk is 0.031, 20 (%) drawdown is -0.2.
 *
 * @returns null if the text is not a number in the metric's range or not one of its names
 */
export function toRuleValue(metric: AlertMetric, text: string): number | string | null {
  const shown = metrics[metric];
  if (shown.kind === "name") return shown.names.includes(text) ? text : null;
  const plain = text.trim().replace(",", ".");
  if (!/^\d{1,3}(\.\d{1,9})?$/.test(plain)) return null;
  const typed = Number(plain);
  if (typed < shown.min || typed > shown.max) return null;
  return tidy(typed * shown.factor) + 0;
}

/** Converts the API's value to the form's unit, without the unit's text. A text value is unchanged. */
export function toShownValue(metric: AlertMetric, value: number | string): string {
  const shown = metrics[metric];
  if (shown.kind === "name" || typeof value === "string") return String(value);
  return String(tidy(value / shown.factor) + 0);
}

/** Whether a text can be an email address. The service makes the final check. */
export const isEmail = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/.test(text);
