import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import { creditsPerForecast, type ForecastLineRequest, type ForecastLinesRequest } from "@slipway/protocol/forecast";
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
  body: ForecastLineRequest | ForecastLinesRequest;
}) => Promise<Buffer>;

/**
 * The time in which a request with several series must begin its last forecast. A run is refunded as lost after 60 s.
 */
const maxBatchMs = 20_000;
/** Maximum wait for another process that computes the same key; a request takes no longer. */
const [maxWaitForOneMs, maxWaitForBatchMs] = [3_000, maxBatchMs + 3_000];
const [firstPauseMs, maxPauseMs] = [25, 200];

/** Another process has started a run with the same key. */
class KeyTaken extends Error {}

const isBatch = (body: ForecastLineRequest | ForecastLinesRequest): body is ForecastLinesRequest => "items" in body;

const hashBody = (body: ForecastLineRequest | ForecastLinesRequest) =>
  sha256(isBatch(body) ? `lines\n${body.items.map(toCanonicalText).join("\n")}` : toCanonicalText(body));

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
    const release = deps.forecaster.reserve(accountId, isBatch(body));
    const credits = creditsPerForecast * (isBatch(body) ? body.items.length : 1);
    const charge = { accountId, requestId, credits, reason: isBatch(body) ? "forecastLines" : "forecastLine" };
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
        const bytes = Buffer.from(
          isBatch(body) ? await forecastAll(accountId, body, credits) : await forecastOne(accountId, body),
        );
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

  const forecastOne = async (accountId: string, body: ForecastLineRequest, maxWaitMs?: number): Promise<string> => {
    const { series, prediction_length: horizon, interval, known_future: covariates } = body;
    const line = await deps.forecaster.forecast({ series, horizon, interval, covariates }, { accountId, maxWaitMs });
    return JSON.stringify(toAnswer(body, line));
  };

  /**
   * Forecasts one series after the other: the request takes no more of the threads than a request with one series. A series
   * waits for its turn as long as the request lasts, because its failure would waste the earlier forecasts.
   */
  const forecastAll = async (accountId: string, { items }: ForecastLinesRequest, credits: number): Promise<string> => {
    const startedAt = deps.clock.now();
    const answers: string[] = [];
    for (const item of items) {
      const leftMs = maxBatchMs - (deps.clock.now() - startedAt);
      if (leftMs < 0) throw new SlipwayError("overloaded", "The forecasts took too long.");
      answers.push(await forecastOne(accountId, item, leftMs));
    }
    return `{"items":[${answers.join(",")}],"credits":{"charged":${credits}}}`;
  };

  /** Waits for the stored response of a key; returns null if there is neither a response nor a running run. */
  const waitForStored = async (
    { accountId, body }: Parameters<RunForecast>[0],
    keyHash: Buffer,
    bodyHash: Buffer,
  ): Promise<Buffer | null> => {
    const maxWaitMs = isBatch(body) ? maxWaitForBatchMs : maxWaitForOneMs;
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
      const stored = await waitForStored(request, keyHash, bodyHash);
      if (stored !== null) return stored;
      try {
        return await compute(request, keyHash, bodyHash);
      } catch (error) {
        if (!(error instanceof KeyTaken)) throw error;
      }
    }
  };

  return async (request) => {
    const bodyHash = hashBody(request.body);
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
