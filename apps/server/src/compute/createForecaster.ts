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
   * Reserves a place for one forecast of an account, before anything is charged for it.
   *
   * @returns What gives it back.
   * @throws SlipwayError `overloaded`: too many of the account's forecasts, or of all accounts', are in progress.
   */
  reserve(accountId: string): () => void;
  /**
   * Forecasts a series on another thread.
   *
   * @throws SlipwayError `overloaded` when it waits or takes too long or its thread ends; what the model throws.
   */
  forecast(task: ForecastTask): Promise<ForecastLine>;
  /** Ends the threads. */
  stop(): Promise<void>;
};

/** The time from a forecast's place in the queue to its end. */
const deadlineMs = 2_000;
/**
 * The part of it after which a forecast that still waits is not begun: one that was begun at the end of its time would be
 * ended, its thread with it, and while more arrives than can be computed nearly all of them would.
 */
const maxWaitShare = 0.5;
/** Forecasts that wait in a process, beside those that its threads compute. */
const maxWaiting = 64;
/** Forecasts of one account in a process. */
const maxOfAccount = 4;

/**
 * Creates the pool of threads that forecast. They start with the first forecast, get no environment, and are ended and
 * replaced when a forecast exceeds its deadline.
 *
 * @param options.program - Another program than `forecastSeries.ts`, for tests.
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
