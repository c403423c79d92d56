import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/protocol/errors";
import type { ForecastLine } from "@slipway/quant/forecast/forecastLine";
import pLimit from "p-limit";
import type { Clock } from "../clock.ts";
import { createThreads } from "./createThreads.ts";
import type { ForecastTask } from "./forecastSeries.ts";

export type Forecaster = {
  /**
   * Reserves a place for one forecast of an account, before the forecast is charged.
   *
   * @returns The function that releases the place.
   * @throws SlipwayError `overloaded`: too many forecasts of the account, or of all accounts, are in progress.
   */
  reserve(accountId: string): () => void;
  /**
   * Forecasts a series on another thread.
   *
   * @throws SlipwayError `overloaded` when the task waits or runs too long or its thread ends; the errors of the model.
   */
  forecast(task: ForecastTask): Promise<ForecastLine>;
  /** Ends the threads. */
  stop(): Promise<void>;
};

/** The time from the arrival of a forecast in the queue to its end. */
const deadlineMs = 2_000;
/**
 * The part of `deadlineMs` after which a waiting forecast is not started. A forecast started near its deadline would be
 * ended together with its thread; under lasting overload this would happen to nearly all forecasts.
 */
const maxWaitShare = 0.5;
/** Maximum waiting forecasts of a process, in addition to the forecasts on its threads. */
const maxWaiting = 64;
/** Maximum forecasts of one account in a process. */
const maxOfAccount = 4;

/**
 * Creates the pool of threads that forecast. Threads start with the first forecast and get no environment; a thread is
 * ended and replaced when a forecast exceeds its deadline.
 *
 * @param options.program - Replaces `forecastSeries.ts` in tests.
 */
export function createForecaster(options: {
  clock: Pick<Clock, "now" | "sleep">;
  program?: string;
  deadlineMs?: number;
}): Forecaster {
  const threads = Math.max(1, availableParallelism() - 1);
  const { clock } = options;
  const limitMs = options.deadlineMs ?? deadlineMs;
  const limitThreads = pLimit(threads);
  const ofAccount = new Map<string, number>();
  let inProgress = 0;
  const pool = createThreads({
    clock,
    program: options.program ?? fileURLToPath(new URL("forecastSeries.ts", import.meta.url)),
    threads,
    maxMemoryMb: 128,
    what: "forecast",
  });

  return {
    reserve: (accountId) => {
      const own = ofAccount.get(accountId) ?? 0;
      if (own >= maxOfAccount) {
        throw new SlipwayError("overloaded", `${maxOfAccount} forecasts of this account are in progress.`);
      }
      if (inProgress >= threads + maxWaiting) throw new SlipwayError("overloaded", "Too many forecasts wait.");
      ofAccount.set(accountId, own + 1);
      inProgress++;
      return () => {
        inProgress--;
        const left = ofAccount.get(accountId)! - 1;
        if (left === 0) ofAccount.delete(accountId);
        else ofAccount.set(accountId, left);
      };
    },
    forecast: async (task) => {
      const queuedAt = clock.now();
      return await limitThreads(async () => {
        const waitedMs = Math.max(0, clock.now() - queuedAt);
        if (waitedMs > maxWaitShare * limitMs) throw new SlipwayError("overloaded", "The forecast waited too long.");
        return await pool.run<ForecastLine>("forecastSeries", task, limitMs - waitedMs);
      });
    },
    stop: async () => await pool.stop(),
  };
}
