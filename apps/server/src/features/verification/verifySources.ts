import { readVerificationInput } from "@slipway/deploy/readVerificationInput";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Address, Hex } from "viem";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { createBlockscoutVerifier } from "../../providers/verifier/createBlockscoutVerifier.ts";
import { createSourcifyVerifier } from "../../providers/verifier/createSourcifyVerifier.ts";
import { verifierTimeoutMs } from "../../providers/verifier/requestVerifier.ts";
import {
  type SourceContract,
  type SourceMatch,
  type SourceVerifier,
  VerifierError,
} from "../../providers/verifier/sourceVerifier.ts";
import {
  claimVerifications,
  queueContracts,
  queueTokens,
  releaseVerification,
  storeResult,
  type VerificationClaim,
  type VerificationResult,
} from "./queries.ts";

/** Contracts that a process submits concurrently; a public verifier limits requests by address. */
const batchSize = 4;
/** Requests without progress, and submissions, after which the job stops trying to verify a contract. */
const maxAttempts = 10;
/** Requests for the state of a job, after which it is submitted again. */
const maxChecks = 6;
const maxSubmissions = 3;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Time until the first request for the state of a job; a compilation takes some seconds. */
const firstCheckMs = 10_000;
/** Longer than all requests of a claim. */
const leaseMs = 3 * verifierTimeoutMs + minuteMs;

/** The contracts of Slipway with sources in this repository. */
type ContractName = Parameters<typeof readVerificationInput>[0];

/**
 * Starts the job that submits the sources of the manifest's contracts and of launched tokens to the operator's verifier,
 * and stores whether they match. Several processes can share the work. Does nothing without VERIFIER_URL.
 */
export function verifySources(deps: Pick<Deps, "config" | "db" | "chain" | "clock" | "log" | "metrics">): Job {
  const { VERIFIER_URL: baseUrl, VERIFIER_KIND: kind, VERIFIER_POLL_MS: pauseMs } = deps.config;
  if (baseUrl === undefined) return { stop: async () => undefined };
  const verifier = kind === "sourcify" ? createSourcifyVerifier(baseUrl) : createBlockscoutVerifier(baseUrl);
  const { api } = deps.db;
  /** Tokens up to this id are queued. Each start reads all tokens once. */
  let lastTokenId = 0;

  const run = async (signal: AbortSignal) => {
    const { manifest, verified } = deps.chain.manifestState();
    // The code of the contracts is known only once the chain is verified.
    if (manifest === null || !verified) return false;
    await queueContracts(api, listContracts(manifest));
    const queued = await queueTokens(api, lastTokenId);
    lastTokenId = queued.lastId;
    const claims = await claimVerifications(api, batchSize, leaseMs);
    const answered = await Promise.all(
      claims.map((claim) => processClaim(deps, verifier, manifest.chain_id, claim, signal)),
    );
    // Makes a pause while the verifier does not answer.
    return queued.hasMore || (answered.includes(true) && claims.length === batchSize);
  };
  return repeat(deps, { name: "source verification", pauseMs, run });
}

/** Lists the contracts of a manifest that this repository compiles. */
function listContracts(manifest: Manifest) {
  const contracts: { address: string; contract: ContractName; creationTransaction: string | null }[] = [];
  for (const deployment of [manifest.current, ...manifest.history]) {
    const { launch_factory, fee_locker, splitter_factory, splitter_implementation } = deployment;
    const { vesting_factory, vesting_implementation, opening_factory, opening_implementation } = deployment;
    contracts.push(
      toContract("LaunchFactory", launch_factory),
      toContract("FeeLocker", fee_locker),
      toContract("SplitterFactory", splitter_factory),
      toContract("FeeSplitter", splitter_implementation),
      toContract("VestingFactory", vesting_factory),
      toContract("Vesting", vesting_implementation),
      toContract("OpeningFactory", opening_factory),
      toContract("Opening", opening_implementation),
    );
  }
  if (manifest.gas_station !== null) contracts.push(toContract("GasStation", manifest.gas_station));
  return contracts;
}

function toContract(contract: ContractName, pinned: { address: string; creation_transaction?: string }) {
  return { address: pinned.address, contract, creationTransaction: pinned.creation_transaction ?? null };
}

/** Makes the next requests of a claim, and stores the result. @returns Whether the verifier answered. */
async function processClaim(
  { db, log, metrics }: Pick<Deps, "db" | "log" | "metrics">,
  verifier: SourceVerifier,
  chainId: number,
  claim: VerificationClaim,
  signal: AbortSignal,
): Promise<boolean> {
  const { address, contract: name } = claim;
  const { lacksMetadataHash, ...input } = readVerificationInput(name as ContractName);
  const contract: SourceContract = {
    chainId,
    address: address as Address,
    ...input,
    creationTransaction: claim.creationTransaction as Hex | null,
  };
  let result: VerificationResult;
  try {
    result = await advance(verifier, contract, lacksMetadataHash, claim, signal);
  } catch (error) {
    if (signal.aborted) {
      await releaseVerification(db.api, claim);
      return false;
    }
    if (!(error instanceof VerifierError)) throw error;
    result = createDelay(claim, claim.jobId, error.code);
    metrics.sourceVerifications.inc({ outcome: "unavailable" });
  }
  await storeResult(db.api, claim, result);
  if (result.kind === "finished") {
    metrics.sourceVerifications.inc({ outcome: result.isVerified === true ? "verified" : "not_verified" });
  }
  if (result.kind !== "submitted" && result.reason !== null) {
    log.info({ address, contract: name, reason: result.reason, attempt: claim.attempt }, "source not verified");
  }
  return result.kind !== "delayed" || result.reason === null;
}

/** Looks a contract up and submits it, or reads the state of its job. */
async function advance(
  verifier: SourceVerifier,
  contract: SourceContract,
  lacksMetadataHash: boolean,
  claim: VerificationClaim,
  signal: AbortSignal,
): Promise<VerificationResult> {
  const isEqual = (match: SourceMatch) => match === "exact" || lacksMetadataHash;
  if (claim.jobId === null) {
    const found = await verifier.find(contract, signal);
    if (found !== null && isEqual(found)) return { kind: "finished", isVerified: true, reason: null };
    if (claim.submissions >= maxSubmissions) return { kind: "finished", isVerified: null, reason: "no_result" };
    return { kind: "submitted", jobId: await verifier.submit(contract, signal), nextInMs: firstCheckMs };
  }
  const job = await verifier.check(contract, claim.jobId, signal);
  switch (job.status) {
    case "matched": {
      const isVerified = isEqual(job.match);
      return { kind: "finished", isVerified, reason: isVerified ? null : "metadata_differs" };
    }
    case "different":
      return { kind: "finished", isVerified: false, reason: "code_differs" };
    case "failed":
      return createDelay(claim, null, job.reason);
    case "pending": {
      if (claim.attempt >= maxChecks) return createDelay(claim, null, "job_pending");
      const nextInMs = Math.min(firstCheckMs * 2 ** (claim.attempt - 1), 10 * minuteMs);
      return { kind: "delayed", jobId: claim.jobId, reason: null, nextInMs };
    }
  }
}

/** Delays the next request: 1, 5, 25, ... minutes up to a day; never again after `maxAttempts`. */
function createDelay({ attempt }: VerificationClaim, jobId: string | null, reason: string): VerificationResult {
  const nextInMs = attempt >= maxAttempts ? null : Math.min(minuteMs * 5 ** (attempt - 1), dayMs);
  return { kind: "delayed", jobId, reason, nextInMs };
}
