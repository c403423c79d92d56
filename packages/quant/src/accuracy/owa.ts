/** Mean sMAPE and mean MASE of a method over many series. */
export type Accuracy = { smape: number; mase: number };

/**
 * The overall weighted average of the M4 competition: the mean of sMAPE and MASE, each divided by the value of Naive2
 * (Makridakis et al. 2020). 1 equals Naive2; lower is better.
 */
export function owa(method: Accuracy, naive2: Accuracy): number {
  return (method.smape / naive2.smape + method.mase / naive2.mase) / 2;
}
