import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import type { UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { checkWebsite, type ResolveTxt, websiteCheckMs } from "../../providers/websiteProof/checkWebsite.ts";
import { claimProofs, finishProof, type ProofClaim, releaseProof } from "./websiteProofQueries.ts";

/** Number of websites that a process checks concurrently, of all accounts and of one account. */
const maxChecks = 16;
const maxChecksOfAccount = 2;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Milliseconds from a check that finds the code until the next check. */
const recheckMs = 30 * dayMs;

/** Number of checks without the code after which a proof fails, by the proof's status. */
const maxAttempts = { pending: 8, verified: 3 };

const leaseMs = websiteCheckMs + minuteMs;

/**
 * Starts the job that checks whether websites show the codes of their listings. A check that ends makes place for the
 * next one, so that slow websites do not delay the others. Several processes can share the job.
 */
export function checkWebsiteProofs(
  deps: Pick<Deps, "config" | "db" | "clock" | "log" | "metrics">,
  sources: { untrustedFetch: UntrustedFetch; resolveTxt: ResolveTxt },
): Job {
  const { api } = deps.db;
  const inProgress = new Map<ProofClaim, Promise<void>>();

  const process = async (claim: ProofClaim, signal: AbortSignal) => {
    try {
      const check = await checkWebsite(sources, { ...claim, signal });
      await finishProof(api, claim, check.found ? found : createMissing(claim, check.reason));
    } catch (error) {
      // The claim expires after its lease.
      if (!signal.aborted) deps.log.warn({ err: error }, "website proof not checked");
      else await releaseProof(api, claim).catch(() => undefined);
    } finally {
      inProgress.delete(claim);
    }
  };

  const run = async (signal: AbortSignal) => {
    const claims = await claimProofs(api, {
      limit: maxChecks - inProgress.size,
      busyAccounts: [...inProgress.keys()].map(({ accountId }) => accountId),
      maxPerAccount: maxChecksOfAccount,
      leaseMs,
    });
    for (const claim of claims) inProgress.set(claim, process(claim, signal));
    if (inProgress.size < maxChecks) return false;
    await Promise.race(inProgress.values());
    return true;
  };
  const job = repeat(deps, { name: "website proofs", pauseMs: deps.config.WEBSITE_PROOF_POLL_MS, run });
  return {
    stop: async () => {
      await job.stop();
      await Promise.all(inProgress.values());
    },
  };
}

const found = { status: "verified", reason: null, nextInMs: recheckMs } as const;

/**
 * Creates the result of a check that did not find the code. A verified website stays verified for some checks, because
 * a website may be down for a day.
 */
function createMissing({ attempt, isVerified }: ProofClaim, reason: string): Parameters<typeof finishProof>[2] {
  const status = isVerified ? "verified" : "pending";
  if (attempt >= maxAttempts[status]) return { status: "failed", reason, nextInMs: null };
  return { status, reason, nextInMs: isVerified ? dayMs : Math.min(minuteMs * 5 ** (attempt - 1), dayMs) };
}
