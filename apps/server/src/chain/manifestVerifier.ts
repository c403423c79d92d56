import type { Manifest } from "@slipway/protocol/manifest";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import type { ManifestState } from "./chain.ts";
import type { ManifestFile } from "./readManifest.ts";

/** What proving the chain found: problems, none when every check held at the block. */
export type ChainProof = {
  blockNumber: bigint;
  problems: readonly string[];
  /** Lower-case addresses of gas-station tokens whose own checks failed. */
  disabledGasTokens: ReadonlySet<string>;
};

export type ManifestVerifierOptions = {
  file: ManifestFile;
  /** Proves the chain against the manifest. @throws when the chain does not answer: nothing is proven either way. */
  prove: (manifest: Manifest) => Promise<ChainProof>;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, "manifestVerified">;
};

export type ManifestVerifier = {
  state(): ManifestState;
  /** Proves the chain within 2 s, instead of at the next turn. */
  checkSoon(): void;
  close(): Promise<void>;
};

const provenEveryMs = 60_000;
const retryEveryMs = 2_000;
/** A proof older than this no longer counts, e.g. while the chain does not answer. */
const proofLastsMs = 180_000;

/**
 * Proves the chain against the pinned manifest now, every 60 s, when asked, and every 2 s while it is not proven. The first
 * attempt is over when this resolves, whatever it found.
 */
export async function startManifestVerifier(options: ManifestVerifierOptions): Promise<ManifestVerifier> {
  const { file, clock, log, metrics } = options;
  const stop = new AbortController();
  let proof: (ChainProof & { at: number }) | null = null;
  let reason = file.reason ?? "the chain has not been proven yet";
  const pinned = file.pinned ? file.manifest : null;

  const isProven = () => proof !== null && clock.now() - proof.at <= proofLastsMs;

  const check = async () => {
    if (pinned === null) return;
    try {
      const found = await options.prove(pinned);
      if (found.problems.length === 0) {
        if (!isProven()) log.info({ block: found.blockNumber }, "the chain is proven against the manifest");
        proof = { ...found, at: clock.now() };
      } else {
        proof = null;
        reason = found.problems.join("; ");
        log.error({ problems: found.problems }, "the chain contradicts the manifest: no transaction is built");
      }
    } catch (error) {
      // Nothing was disproved: an earlier proof counts until it is too old.
      reason = `the chain could not be asked: ${(error as Error).message}`;
      log.warn({ err: error }, "the chain could not be proven against the manifest");
    }
    metrics.manifestVerified.set(isProven() ? 1 : 0);
  };

  let wake = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      // At the least this pause, so that two endpoints that take turns do not make it a busy loop.
      await clock.sleep(retryEveryMs, stop.signal);
      if (isProven()) {
        const rest = AbortSignal.any([stop.signal, wake.signal]);
        await clock.sleep(provenEveryMs - retryEveryMs, rest).catch(() => stop.signal.throwIfAborted());
      }
      // Before the proof, so that who asks during it, or in the pause after it, is heard too.
      wake = new AbortController();
      await check();
    }
  };

  metrics.manifestVerified.set(0);
  let running: Promise<void> = Promise.resolve();
  if (pinned !== null) {
    await check();
    running = run().catch((error: unknown) => {
      if (!stop.signal.aborted) log.error({ err: error }, "the manifest watch ended");
    });
  } else {
    log.warn({ reason }, "transaction endpoints are closed: the manifest is not pinned");
  }

  return {
    state: () => {
      const verified = isProven();
      return {
        manifest: file.manifest,
        sha256: file.sha256,
        pinned: file.pinned,
        verified,
        verifiedAtBlock: verified ? proof!.blockNumber : null,
        reason: verified ? null : proof === null ? reason : "the last proof is too old",
        disabledGasTokens: proof?.disabledGasTokens ?? new Set(),
      };
    },
    checkSoon: () => wake.abort(),
    close: async () => {
      stop.abort();
      await running;
    },
  };
}
