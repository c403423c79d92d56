import { type AlertMetric, type AlertRule, alertMetrics } from "@slipway/protocol/alerts";

/** What a rule is before and after a reading: see `app.alerts.state`. */
export type AlertState = "new" | "armed" | "fired";

/** How far beyond its threshold, as a fraction of it, a value must return before the rule can fire again. */
const rearmFraction = 0.05;

/**
 * Judges one value of a rule's metric. A rule fires when it is armed and its value is beyond the threshold; it is armed
 * again when the value is more than 5% of the threshold on the other side, or half of what is left of the metric's range
 * where that is less. The first value of a rule does not fire: there was no crossing.
 *
 * @param value - Several names, where a metric can have them at the same time.
 * @param canFire - False while a limit holds mails back: the rule then stays armed.
 */
export function judgeReading(
  state: AlertState,
  { metric, op, value: threshold }: AlertRule,
  value: number | string | readonly string[],
  canFire: boolean,
): { state: AlertState; fires: boolean } {
  const isBeyond =
    op === "is" ? [value].flat().includes(threshold) : op === "above" ? value > threshold : value < threshold;
  if (isBeyond) {
    if (state === "armed" && canFire) return { state: "fired", fires: true };
    return { state: state === "armed" ? "armed" : "fired", fires: false };
  }
  if (state === "fired" && !isBack(metric, op, Number(threshold), value)) return { state, fires: false };
  return { state: "armed", fires: false };
}

function isBack(
  metric: AlertMetric,
  op: AlertRule["op"],
  threshold: number,
  value: number | string | readonly string[],
): boolean {
  const values: { min: number; max: number } | { names: readonly string[] } = alertMetrics[metric];
  if ("names" in values || typeof value !== "number") return true;
  const left = op === "above" ? threshold - values.min : values.max - threshold;
  const margin = Math.min(Math.abs(threshold) * rearmFraction, left / 2);
  return op === "above" ? value < threshold - margin || left === 0 : value > threshold + margin || left === 0;
}
