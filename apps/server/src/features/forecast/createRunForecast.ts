import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import { creditsPerForecast, type ForecastLineRequest } from "@slipway/protocol/forecast";
import { withCredits } from "../../accounts/withCredits.ts";
import type { Deps } from "../../deps.ts";
import { beginRun, failRun, findRun, finishRun } from "./queries.ts";
import { toAnswer, toCanonicalText } from "./toAnswer.ts";

export type RunForecast = (request: {
  accountId: string;
  /** The id under which this attempt is charged and refunded. */
  requestId: string;
  /** The Idempotency-Key. */
  key: string | undefined;
  body: ForecastLineRequest;
}) => Promise<Buffer>;

/** How long a request waits for another process that answers the same key; a forecast takes no longer. */
const maxWaitMs = 3_000;
const [firstPauseMs, maxPauseMs] = [25, 200];

/** Another process has begun a run of the same key. */
class KeyTaken extends Error {}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/**
 * Creates what charges, computes and stores forecasts, and gives the bytes of their answers.
 *
 * A request with an Idempotency-Key gets the bytes that are stored for it. While they are being computed it waits: in
 * memory for a request of this process, by asking the database for one of another. An attempt that failed leaves nothing
 * behind, and the next one is charged under its own request id.
 *
 * @throws SlipwayError (the function) `insufficient_credits`, `idempotency_key_reused`, `overloaded`; what it charged
 *   is refunded then.
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
          throw new SlipwayError("overloaded", "The forecast took too long; it was refunded.");
        }
        deps.metrics.forecasts.inc({ outcome: "done" });
        return bytes;
      });
    } finally {
      release();
    }
  };

  /** The stored answer of a key; null when there is none and no run that could give one. */
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

/** @throws SlipwayError `idempotency_key_reused` when a key was used with another body. */
function requireSame(earlier: Buffer, now: Buffer): void {
  if (!earlier.equals(now)) throw new SlipwayError("idempotency_key_reused");
}
