import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Clock } from "../clock.ts";
import { createFairQueue } from "./createFairQueue.ts";
import { createThreads } from "./createThreads.ts";
import type { ForecastTask, SeriesForecast } from "./forecastSeries.ts";

export type Forecaster = {
  /**
   * Reserves a place for one request of an account, before the request is charged. A request with several series
   * forecasts one after the other, so that it needs one place.
   *
   * @param isBatch - Whether the request has several series.
   * @returns The function that releases the place.
   * @throws SlipwayError `overloaded`: too many requests of the account, or of all accounts, are in progress.
   */
  reserve(accountId: string, isBatch: boolean): () => void;
  /**
   * Forecasts a series on another thread. Accounts take turns.
   *
   * @param options.maxWaitMs - The maximum wait for the turn; by default a second.
   * @throws SlipwayError `overloaded` when the task waits or runs too long or its thread ends; the errors of the model.
   */
  forecast(task: ForecastTask, options: { accountId: string; maxWaitMs?: number | undefined }): Promise<SeriesForecast>;
  /** Ends the threads. */
  stop(): Promise<void>;
};

/** The time from the arrival of a forecast in the queue to its end; a wait beyond `maxWaitShare` does not count. */
const deadlineMs = 2_000;
/**
 * The part of `deadlineMs` after which a waiting forecast is not started. A forecast started near its deadline would be
 * ended together with its thread; under lasting overload this would happen to nearly all forecasts.
 */
const maxWaitShare = 0.5;
/** Longer than any forecast waits: `maxWaitMs` decides. */
const maxQueueMs = 60_000;
/** Maximum waiting forecasts of a process, in addition to the forecasts on its threads. */
const maxWaiting = 64;
/** Maximum requests of one account in a process. */
const maxOfAccount = 4;
/**
 * Maximum requests with several series for each thread: of a process, and of one account. With more, all of them would
 * reach their deadline together, and their computations would be refunded.
 */
const [maxBatches, maxBatchesOfAccount] = [2, 1];

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
  const startMs = maxWaitShare * limitMs;
  const queue = createFairQueue({
    clock,
    places: threads,
    maxWaiting,
    maxWaitMs: maxQueueMs,
    refusal: "Too many forecasts wait.",
  });
  const requests = createPlaces(maxOfAccount, threads + maxWaiting);
  const batches = createPlaces(maxBatchesOfAccount * threads, maxBatches * threads);
  const pool = createThreads({
    clock,
    program: options.program ?? fileURLToPath(new URL("forecastSeries.ts", import.meta.url)),
    threads,
    maxMemoryMb: 128,
    what: "forecast",
  });

  return {
    reserve: (accountId, isBatch) => {
      const release = requests.take(accountId);
      if (!isBatch) return release;
      try {
        const releaseBatch = batches.take(accountId);
        return () => {
          releaseBatch();
          release();
        };
      } catch (error) {
        release();
        throw error;
      }
    },
    forecast: async (task, { accountId, maxWaitMs = startMs }) => {
      const queuedAt = clock.now();
      return await queue.run([accountId], async () => {
        const waitedMs = Math.max(0, clock.now() - queuedAt);
        if (waitedMs > maxWaitMs) throw new SlipwayError("overloaded", "The forecast waited too long.");
        return await pool.run<SeriesForecast>("forecastSeries", task, limitMs - Math.min(waitedMs, startMs));
      });
    },
    stop: async () => await pool.stop(),
  };
}

/** Creates places for requests, with a maximum of one account and of all accounts. */
function createPlaces(maxOfOne: number, maxOfAll: number) {
  const ofAccount = new Map<string, number>();
  let taken = 0;
  return {
    /** @returns the function that releases the place. @throws SlipwayError `overloaded`. */
    take: (accountId: string): (() => void) => {
      const own = ofAccount.get(accountId) ?? 0;
      if (own >= maxOfOne) throw new SlipwayError("overloaded", "Too many forecasts of this account are in progress.");
      if (taken >= maxOfAll) throw new SlipwayError("overloaded", "Too many forecasts wait.");
      ofAccount.set(accountId, own + 1);
      taken++;
      return () => {
        taken--;
        const left = ofAccount.get(accountId)! - 1;
        if (left === 0) ofAccount.delete(accountId);
        else ofAccount.set(accountId, left);
      };
    },
  };
}
