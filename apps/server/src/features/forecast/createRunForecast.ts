import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import { creditsPerForecast, type ForecastLineRequest } from "@slipway/protocol/forecast";
import { withCredits } from "../../accounts/withCredits.ts";
import type { Deps } from "../../deps.ts";
import { beginRun, failRun, findRun, finishRun } from "./queries.ts";
import { toAnswer, toCanonicalText } from "./toAnswer.ts";

export type RunForecast = (request: {
  accountId: string;
  /** The id for the charge and the refund of this attempt. */
  requestId: string;
  /** The Idempotency-Key. */
  key: string | undefined;
  body: ForecastLineRequest;
}) => Promise<Buffer>;

/** Maximum wait for another process that computes the same key; a forecast takes no longer. */
const maxWaitMs = 3_000;
const [firstPauseMs, maxPauseMs] = [25, 200];

/** Another process has started a run with the same key. */
class KeyTaken extends Error {}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/**
 * Creates a function that charges, computes and stores forecasts, and returns the bytes of their responses.
 *
 * A request with an Idempotency-Key returns the bytes that are stored for the key. While another request computes the
 * bytes, the request waits: in memory for a request of this process, by polling the database for another process. A
 * failed attempt stores no response, and the next attempt is charged under its own request id.
 *
 * @throws SlipwayError (the function) `insufficient_credits`, `idempotency_key_reused`, `overloaded`; the charge is
 *   then refunded.
 */
export function createRunForecast(deps: Pick<Deps, "clock" | "db" | "forecaster" | "log" | "metrics">): RunForecast {
  const { api } = deps.db;
  const inProgress = new Map<string, { bodyHash: Buffer; answer: Promise<Buffer> }>();

  const compute = async (request: Parameters<RunForecast>[0], keyHash: Buffer | null, bodyHash: Buffer) => {
    const { accountId, requestId, body } = request;
    const release = deps.forecaster.reserve(accountId);
    const charge = { accountId, requestId, credits: creditsPerForecast, reason: "forecastLine" };
    const record = {
      begin: async (client: Parameters<typeof failRun>[0]) => {
        if (!(await beginRun(client, { requestId, accountId, keyHash, bodyHash }))) throw new KeyTaken();
      },
      fail: (client: Parameters<typeof failRun>[0]) => {
        deps.metrics.forecasts.inc({ outcome: "failed" });
        return failRun(client, requestId);
      },
    };
    try {
      return await withCredits({ api, log: deps.log }, charge, record, async () => {
        const { series, prediction_length: horizon, interval } = body;
        const line = await deps.forecaster.forecast({ series, horizon, interval });
        const bytes = Buffer.from(JSON.stringify(toAnswer(body, line)));
        if (!(await finishRun(api, requestId, bytes))) {
          throw new SlipwayError("overloaded", "The forecast took too long and was refunded.");
        }
        deps.metrics.forecasts.inc({ outcome: "done" });
        return bytes;
      });
    } finally {
      release();
    }
  };

  /** Waits for the stored response of a key; returns null if there is neither a response nor a running run. */
  const waitForStored = async (accountId: string, keyHash: Buffer, bodyHash: Buffer): Promise<Buffer | null> => {
    let pauseMs = firstPauseMs;
    for (let waitedMs = 0; ; waitedMs += pauseMs, pauseMs = Math.min(maxPauseMs, 2 * pauseMs)) {
      const run = await findRun(api, accountId, keyHash);
      if (run === null) return null;
      requireSame(run.body_hash, bodyHash);
      if (run.answer !== null) return run.answer;
      if (waitedMs >= maxWaitMs) {
        throw new SlipwayError("overloaded", "A request with this Idempotency-Key has not ended yet.");
      }
      await deps.clock.sleep(pauseMs);
    }
  };

  const runKeyed = async (request: Parameters<RunForecast>[0], keyHash: Buffer, bodyHash: Buffer) => {
    for (;;) {
      const stored = await waitForStored(request.accountId, keyHash, bodyHash);
      if (stored !== null) return stored;
      try {
        return await compute(request, keyHash, bodyHash);
      } catch (error) {
        if (!(error instanceof KeyTaken)) throw error;
      }
    }
  };

  return async (request) => {
    const bodyHash = sha256(toCanonicalText(request.body));
    if (request.key === undefined) return await compute(request, null, bodyHash);
    const keyHash = sha256(request.key);
    const name = `${request.accountId} ${keyHash.toString("hex")}`;
    const earlier = inProgress.get(name);
    if (earlier !== undefined) {
      requireSame(earlier.bodyHash, bodyHash);
      return await earlier.answer;
    }
    const answer = runKeyed(request, keyHash, bodyHash);
    inProgress.set(name, { bodyHash, answer });
    try {
      return await answer;
    } finally {
      inProgress.delete(name);
    }
  };
}

/** @throws SlipwayError `idempotency_key_reused` if a key was used with another body. */
function requireSame(earlier: Buffer, now: Buffer): void {
  if (!earlier.equals(now)) throw new SlipwayError("idempotency_key_reused");
}
