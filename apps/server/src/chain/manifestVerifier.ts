import type { Manifest } from "@slipway/protocol/manifest";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { createPoller, type Poller } from "../createPoller.ts";
import type { Metrics } from "../metrics.ts";
import type { ManifestState } from "./chain.ts";
import type { ManifestFile } from "./readManifest.ts";

/** The result of verifying the chain against the manifest. `problems` is empty if all checks passed at the block. */
export type ChainProof = {
  blockNumber: bigint;
  problems: readonly string[];
  /** Lower-case addresses of gas-station tokens whose own checks failed. */
  disabledGasTokens: ReadonlySet<string>;
};

export type ManifestVerifierOptions = {
  file: ManifestFile;
  /** Verifies the chain against the manifest. @throws If the chain does not answer. The result is then unknown. */
  prove: (manifest: Manifest) => Promise<ChainProof>;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, "manifestVerified">;
};

export type ManifestVerifier = {
  state(): ManifestState;
  /** Verifies the chain within 2 s instead of at the next interval. */
  checkSoon(): void;
  close(): Promise<void>;
};

const verifiedIntervalMs = 60_000;
const retryIntervalMs = 2_000;
/** A proof expires after this time, e.g. while the chain does not answer. */
const proofLifetimeMs = 180_000;

/**
 * Verifies the chain against the pinned manifest: immediately, every 60 s, on request, and every 2 s while the chain is
 * not verified. Resolves after the first attempt with any result.
 */
export async function startManifestVerifier(options: ManifestVerifierOptions): Promise<ManifestVerifier> {
  const { file, clock, log, metrics } = options;
  let disabledTokens = "";
  let proof: (ChainProof & { at: number }) | null = null;
  const pinned = file.manifest;
  let reason = pinned === null ? (file.problem ?? "no manifest is configured") : "the chain is not verified yet";

  /** Sets the reason. @returns Whether it changed: logging the same reason every two seconds would hide other lines. */
  const setReason = (next: string): boolean => {
    const isNew = next !== reason;
    reason = next;
    return isNew;
  };
  const isProven = () => proof !== null && clock.now() - proof.at <= proofLifetimeMs;

  const check = async () => {
    if (pinned === null) return;
    try {
      const result = await options.prove(pinned);
      if (result.problems.length === 0) {
        if (!isProven()) log.info({ block: result.blockNumber }, "manifest verified");
        reason = "";
        const tokens = [...result.disabledGasTokens].sort().join();
        if (tokens !== "" && tokens !== disabledTokens) log.warn({ tokens }, "gas station tokens disabled");
        disabledTokens = tokens;
        proof = { ...result, at: clock.now() };
      } else {
        proof = null;
        const { problems } = result;
        log[setReason(problems.join("; ")) ? "error" : "debug"]({ problems }, "manifest verification failed");
      }
    } catch (error) {
      // The result is unknown: an earlier proof stays valid until it expires.
      const isNew = setReason(`the chain does not answer: ${(error as Error).message}`);
      log[isNew ? "warn" : "debug"]({ err: error }, "manifest verification incomplete");
    }
    metrics.manifestVerified.set(isProven() ? 1 : 0);
  };

  const startChecks = () => {
    let checkedAt = clock.now();
    const getIntervalMs = () => (isProven() ? verifiedIntervalMs : retryIntervalMs);
    return createPoller({
      clock,
      firstPauseMs: getIntervalMs(),
      // At least one retry interval between checks: two endpoints that alternate must not cause a busy loop.
      getSettleMs: () => Math.min(retryIntervalMs, checkedAt + retryIntervalMs - clock.now()),
      run: async () => {
        await check();
        checkedAt = clock.now();
        return getIntervalMs();
      },
    });
  };

  metrics.manifestVerified.set(0);
  let checks: Poller | null = null;
  if (pinned !== null) {
    await check();
    checks = startChecks();
  } else {
    log.warn({ reason }, "manifest not pinned");
  }

  return {
    state: () => {
      const verified = isProven();
      return {
        manifest: file.manifest,
        sha256: file.sha256,
        verified,
        verifiedAtBlock: verified ? proof!.blockNumber : null,
        reason: verified ? null : proof === null ? reason : "the last proof is too old",
        disabledGasTokens: proof?.disabledGasTokens ?? new Set(),
      };
    },
    checkSoon: () => checks?.wake(),
    close: async () => await checks?.stop(),
  };
}
