import { type AlertMetric, type AlertRule, alertMetrics } from "@slipway/protocol/alerts";

/** State of a rule, see `app.alerts.state`. */
export type AlertState = "new" | "armed" | "fired";

/** Fraction of the threshold by which a value must pass back over the threshold before the rule is armed again. */
const rearmFraction = 0.05;

/**
 * Judges one value of a rule's metric. An armed rule fires when the value is beyond the threshold. A fired rule is
 * armed again when the value is on the other side by more than 5% of the threshold, or by more than half of the metric
 * range on that side if that is less. The first value of a rule does not fire, because it did not cross the threshold.
 *
 * @param value - An array for a metric that can have several names at the same time.
 * @param canFire - False while a mail limit applies; the rule then stays armed.
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
