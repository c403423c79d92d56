import pLimit from "p-limit";
import type { Deps } from "../../../deps.ts";
import { type Job, repeat } from "../../../job.ts";
import { MailError, type MailTransport } from "../../../providers/mail/createMailTransport.ts";
import {
  claimMail,
  delayMail,
  finishMail,
  isStillClaimed,
  type MailClaim,
  releaseMail,
  suspendAddress,
  sweepMail,
} from "./mailQueries.ts";
import { type MailLinks, renderMail } from "./renderMail.ts";

const minuteMs = 60_000;

/** Time limit of one attempt. */
const attemptMs = 30_000;

/** Number of mails that a process claims per connection. */
const claimsPerConnection = 4;

/** Longer than all attempts of one connection's claims. */
const leaseMs = claimsPerConnection * attemptMs + minuteMs;

/** Time to finish attempts when the process stops; an interrupted attempt may be repeated. */
const graceMs = 3_000;

const sweepLimit = 1_000;

/**
 * Starts the job that sends queued mails. A failed mail is retried for a day, with delays of 1, 2, 4 minutes and so on
 * up to an hour. Several processes can share the work. A mail is sent twice only if a process ends after the server
 * accepted the mail and before the result is stored; both copies have the same Message-ID.
 *
 * @param transport - Null if no mail server is configured; mails then expire.
 */
export function sendMail(
  deps: Pick<Deps, "config" | "db" | "clock" | "log" | "metrics">,
  transport: MailTransport | null,
): Job {
  const { clock, config } = deps;
  const { api } = deps.db;
  const links = getLinks(deps.config);
  const limit = pLimit(config.MAIL_CONNECTIONS);
  let nextSweepMs = 0;

  const run = async (signal: AbortSignal) => {
    if (clock.now() >= nextSweepMs) {
      const expired = await sweepMail(api, clock.now(), sweepLimit);
      deps.metrics.mails.inc({ outcome: "failed" }, expired);
      if (expired < sweepLimit) nextSweepMs = clock.now() + minuteMs;
    }
    if (transport === null || links === null) return false;
    const size = config.MAIL_CONNECTIONS * claimsPerConnection;
    const claims = await claimMail(api, { nowMs: clock.now(), limit: size, leaseMs });
    const send = (claim: MailClaim) =>
      signal.aborted ? releaseMail(api, claim, clock.now()) : attempt(deps, transport, links, claim, signal);
    const results = await Promise.allSettled(claims.map((claim) => limit(send, claim)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return claims.length === size;
  };
  const job = repeat(deps, { name: "mails", pauseMs: config.MAIL_POLL_MS, run });
  return {
    stop: async () => {
      await job.stop();
      transport?.close();
    },
  };
}

function getLinks({ SITE_URL: site, ALERT_SECRET: secret }: Deps["config"]): MailLinks | null {
  return site === undefined || secret === undefined ? null : { siteUrl: new URL(site).origin, secret };
}

/** Sends one mail and stores the result. */
async function attempt(
  { db, clock, log, metrics }: Pick<Deps, "db" | "clock" | "log" | "metrics">,
  transport: MailTransport,
  links: MailLinks,
  claim: MailClaim,
  stopping: AbortSignal,
): Promise<void> {
  if (!(await isStillClaimed(db.api, claim))) return;
  const ended = new AbortController();
  const endLater = () => setTimeout(() => ended.abort(), graceMs).unref();
  stopping.addEventListener("abort", endLater, { once: true });
  try {
    await transport.send(renderMail(links, claim), AbortSignal.any([ended.signal, AbortSignal.timeout(attemptMs)]));
    await finishMail(db.api, claim, "sent");
    metrics.mails.inc({ outcome: "sent" });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { failure, code } = error;
    const fields = { mail: claim.id, kind: claim.kind, attempt: claim.attempt, code };
    if (failure === "later") {
      const delayMs = Math.min(minuteMs * 2 ** (claim.attempt - 1), 60 * minuteMs);
      await delayMail(db.api, claim, { error: code, nextAtMs: clock.now() + delayMs });
      metrics.mails.inc({ outcome: "delayed" });
      log.info(fields, "mail delayed");
      return;
    }
    if (failure === "recipient") await suspendAddress(db.api, claim, code);
    else await finishMail(db.api, claim, "failed", code);
    metrics.mails.inc({ outcome: "failed" });
    log.info(fields, failure === "recipient" ? "mail address suspended" : "mail refused");
  } finally {
    stopping.removeEventListener("abort", endLater);
  }
}
