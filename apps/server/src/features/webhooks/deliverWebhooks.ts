import type { DeliveryError } from "@slipway/protocol/webhooks";
import { maxWebhooks } from "@slipway/protocol/webhooks";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import type { UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../../providers/untrustedFetch/untrustedFetchError.ts";
import {
  claimWebhooks,
  deleteOldMessages,
  endQueue,
  enforcePlans,
  expireMessages,
  listRiskPairs,
  type QueuedMessage,
  releaseWebhook,
  storeDelivered,
  storeFailure,
  takeMessage,
  type WebhookClaim,
} from "./deliveryQueries.ts";
import { matchOutbox } from "./matchOutbox.ts";
import { createWebhookSecrets, signMessage, type WebhookSecrets } from "./webhookSecrets.ts";

/** Time for an endpoint to answer, from name resolution to the head of its response. */
const answerMs = 5_000;

/**
 * An endpoint that takes longer is slow, and so is one that has not answered in time yet: at most half of the connections
 * serve slow endpoints.
 */
const slowMs = 1_000;

/** How long a claim sends one message after the other, and the lease, which is longer than that and one more attempt. */
const claimMs = 20_000;
const leaseMs = 60_000;

/** Maximum number of concurrent deliveries of a process to one host, and of one account. */
const maxPerHost = 4;
const maxPerAccount = 8;

/** The delays after failures: 5, 10, 20 seconds and so on, up to an hour, each changed by up to a quarter. */
const firstDelayMs = 5_000;
const maxDelayMs = 3_600_000;
const jitter = 0.25;

const sweepPauseMs = 60_000;
const sweepLimit = 1_000;

type JobDeps = Pick<Deps, "config" | "db" | "clock" | "ids" | "log" | "metrics" | "observer">;

/** Requests the computation of the risk of pairs; a request lasts longer than a sweep's pause. */
type RequestRisk = (pairs: readonly string[]) => Promise<unknown>;

/**
 * Starts the jobs of webhooks: one queues messages from the outbox, the other sends them. Any number of processes share
 * the work. A message is sent again only if its attempt failed or its process ended before the result was stored; its
 * id stays the same. The messages of a webhook are sent in order, one at a time.
 */
export function deliverWebhooks(
  deps: JobDeps,
  untrustedFetch: UntrustedFetch,
  requestRisk: RequestRisk = async () => undefined,
): Job {
  const { clock, config, db, log, metrics } = deps;
  // Without AUTH_SECRET there are no webhooks, but the matching runs: alerts by e-mail need it too.
  const secrets = config.AUTH_SECRET === undefined ? null : createWebhookSecrets(config.AUTH_SECRET, deps.ids);
  const pauseMs = config.WEBHOOK_POLL_MS;
  /** The claims that this process is serving, with the promise of their end. */
  const serving = new Map<WebhookClaim, Promise<void>>();
  let nextSweepMs = 0;

  const match = async () => {
    const { hasMore, lagSeconds } = await matchOutbox(db.api);
    metrics.webhookLag.set(lagSeconds);
    return hasMore;
  };
  const matching = repeat(deps, { name: "webhook matching", pauseMs, run: match });

  const slots = config.WEBHOOK_CONNECTIONS;
  const countFreeSlow = () => Math.floor(slots / 2) - [...serving.keys()].filter(({ isSlow }) => isSlow).length;

  const serve = async (sender: Sender, claim: WebhookClaim, signal: AbortSignal) => {
    try {
      await sendQueue(deps, sender, claim, signal);
    } catch (error) {
      // The claim ends with its lease.
      log.warn({ err: error, webhook: claim.id }, "webhook claim failed");
    } finally {
      serving.delete(claim);
    }
  };

  const claimSome = async (isSlow: boolean, limit: number, signal: AbortSignal) => {
    if (limit <= 0 || secrets === null) return;
    const busy = listBusy([...serving.keys()]);
    const options = { nowMs: clock.now(), leaseMs, limit, isSlow, ...busy };
    for (const claim of await claimWebhooks(db.api, options)) {
      const { host, accountId } = claim;
      const claims = [...serving.keys()];
      const isBusy =
        claims.filter((other) => other.host === host).length >= maxPerHost ||
        claims.filter((other) => other.accountId === accountId).length >= maxPerAccount;
      if (isBusy || signal.aborted) await releaseWebhook(db.api, claim, clock.now());
      else serving.set(claim, serve({ secrets, untrustedFetch, countFreeSlow }, claim, signal));
    }
  };

  const run = async (signal: AbortSignal) => {
    if (clock.now() >= nextSweepMs) {
      const expired = await expireMessages(db.api, clock.now(), sweepLimit);
      metrics.webhookMessages.inc({ outcome: "expired" }, expired);
      const deleted = await deleteOldMessages(db.api, clock.now(), sweepLimit);
      const disabled = await enforcePlans(db.api, { free: maxWebhooks.free, limit: sweepLimit });
      await requestRisk(await listRiskPairs(db.api));
      if (Math.max(expired, deleted, disabled) < sweepLimit) nextSweepMs = clock.now() + sweepPauseMs;
    }
    await claimSome(true, Math.min(countFreeSlow(), slots - serving.size), signal);
    await claimSome(false, slots - serving.size, signal);
    return false;
  };
  const sending = repeat(deps, { name: "webhooks", pauseMs, run });

  return {
    stop: async () => {
      await Promise.all([matching.stop(), sending.stop()]);
      await Promise.all(serving.values());
    },
  };
}

/** Lists the webhooks of claims, and the hosts and accounts that have their maximum of deliveries. */
function listBusy(claims: readonly WebhookClaim[]) {
  const listFrequent = (names: readonly string[], maximum: number) =>
    [...new Set(names)].filter((name) => names.filter((other) => other === name).length >= maximum);
  return {
    busyIds: claims.map(({ id }) => id),
    busyHosts: listFrequent(
      claims.map(({ host }) => host),
      maxPerHost,
    ),
    busyAccounts: listFrequent(
      claims.map(({ accountId }) => accountId),
      maxPerAccount,
    ),
  };
}

type Sender = {
  secrets: WebhookSecrets;
  untrustedFetch: UntrustedFetch;
  /** Returns how many more connections slow endpoints may use. */
  countFreeSlow(): number;
};

/** Sends the messages of a claimed webhook until one fails, none is left, or the time of the claim has passed. */
async function sendQueue(
  { clock, db, ids, log, metrics }: JobDeps,
  sender: Sender,
  claim: WebhookClaim,
  signal: AbortSignal,
): Promise<void> {
  const endMs = clock.now() + claimMs;
  while (!signal.aborted && clock.now() < endMs) {
    const message = await takeMessage(db.api, claim, clock.now());
    if (message === null) {
      if (await endQueue(db.api, claim, clock.now())) return;
      continue;
    }
    const startMs = clock.now();
    const { signal: tooSlow, stop } = endSlowAttempt(clock, sender, claim);
    const result = await sendMessage(sender, claim, message, startMs, tooSlow).finally(stop);
    const isSlow = tooSlow.aborted || clock.now() - startMs > slowMs;
    if (result.error === null) {
      await storeDelivered(db.api, claim, { messageId: message.messageId, status: result.status, isSlow });
      metrics.webhookMessages.inc({ outcome: "delivered" });
      continue;
    }
    const { error, status } = result;
    const failure = { messageId: message.messageId, error, status, isSlow, isGone: status === 410 };
    const getDelayMs = (failures: number) => getRetryDelayMs(failures, Buffer.from(ids.bytes(4)).readUInt32BE());
    const isDisabled = await storeFailure(db.api, claim, failure, { nowMs: clock.now(), getDelayMs });
    metrics.webhookMessages.inc({ outcome: "delayed" });
    if (isDisabled) {
      metrics.webhooksDisabled.inc();
      log.info({ webhook: claim.id, code: error, status }, "webhook disabled");
    }
    return;
  }
  await releaseWebhook(db.api, claim, clock.now());
}

/**
 * Marks the endpoint of an attempt that takes longer than `slowMs` as slow, or ends the attempt if slow endpoints already
 * use their half of the connections. So an endpoint that is slow only sometimes cannot use the other half.
 */
function endSlowAttempt(clock: Pick<Deps["clock"], "sleep">, { countFreeSlow }: Sender, claim: WebhookClaim) {
  const attempt = new AbortController();
  const answered = new AbortController();
  const check = () => {
    if (claim.isSlow) return;
    if (countFreeSlow() > 0) claim.isSlow = true;
    else attempt.abort();
  };
  clock.sleep(slowMs, answered.signal).then(check, () => undefined);
  return { signal: attempt.signal, stop: () => answered.abort() };
}

/** The result of an attempt: the status of a response, or the reason of a failure. */
type Result = { error: null; status: number } | { error: DeliveryError; status: number | null };

/** Sends a message once. The body of the response is neither read nor stored. */
async function sendMessage(
  { secrets, untrustedFetch }: Sender,
  { id, url, secret, previousSecret }: WebhookClaim,
  { messageId, type, outboxId, occurredAt, data }: QueuedMessage,
  nowMs: number,
  signal: AbortSignal,
): Promise<Result> {
  const opened = [secret, previousSecret].flatMap((sealed) =>
    sealed === null ? [] : (secrets.open(id, sealed) ?? []),
  );
  if (opened.length === 0) return { error: "secret_unreadable", status: null };
  const cursor = outboxId === null ? null : String(outboxId);
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), cursor, data });
  const signed = { id: `msg_${messageId}`, timestampSeconds: Math.floor(nowMs / 1000), body };
  const headers = { "content-type": "application/json", ...signMessage(opened, signed) };
  try {
    const { status } = await untrustedFetch(url, {
      post: body,
      headers,
      accept: [],
      maxBytes: 0,
      deadlineMs: answerMs,
      signal,
    });
    return { error: status >= 200 && status < 300 ? null : "status", status } as Result;
  } catch (error) {
    if (!(error instanceof UntrustedFetchError)) throw error;
    return { error: toDeliveryError(error), status: null };
  }
}

/** Does not tell a name of an internal network from an address that does not answer. */
function toDeliveryError({ code }: UntrustedFetchError): DeliveryError {
  if (code === "too_slow" || code === "stopped") return "too_slow";
  return code === "too_many_redirects" ? "redirected" : "unreachable";
}

/**
 * Returns the delay of the next attempt in milliseconds.
 *
 * @param failures - Failures since the last success, 1 or more.
 * @param random - 32 random bits.
 */
export function getRetryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  return Math.round(delayMs * (1 - jitter + (2 * jitter * random) / 2 ** 32));
}
