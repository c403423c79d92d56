import type { Manifest } from "@slipway/protocol/manifest";
import { pino } from "pino";
import { onTestFinished, describe, expect, test } from "vitest";
import { type ChainProof, startManifestVerifier } from "./manifestVerifier.ts";
import { getProvenManifest } from "./readChain.ts";

const good: ChainProof = { blockNumber: 5n, problems: [], disabledGasTokens: new Set(["0xa1"]) };
const bad: ChainProof = { blockNumber: 6n, problems: ["router is 0x1, not 0x2"], disabledGasTokens: new Set() };
const manifest = { chain_id: 1 } as Manifest;

/** A clock that a test advances; sleepers resolve when their time is reached. */
function createManualClock() {
  let now = 1_000_000;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        sleepers.push({ at: now + milliseconds, wake: resolve });
      }),
    advance: async (milliseconds: number) => {
      const end = now + milliseconds;
      while (now < end) {
        now = Math.min(end, now + 500);
        const due = sleepers.filter(({ at }) => at <= now);
        sleepers = sleepers.filter(({ at }) => at > now);
        for (const { wake } of due) wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

async function startVerifier(
  first: ChainProof | Error,
  file: Partial<Parameters<typeof startManifestVerifier>[0]["file"]> = {},
) {
  const clock = createManualClock();
  const gauge: number[] = [];
  const setup = { next: first as ChainProof | Error, proofs: 0, during: () => {} };
  const verifier = await startManifestVerifier({
    file: { manifest, sha256: "ab", pinned: true, reason: null, ...file },
    prove: async () => {
      setup.proofs++;
      setup.during();
      setup.during = () => undefined;
      if (setup.next instanceof Error) throw setup.next;
      return setup.next;
    },
    clock,
    log: pino({ level: "silent" }),
    metrics: { manifestVerified: { set: (value: number) => gauge.push(value) } } as never,
  });
  onTestFinished(verifier.close);
  return { verifier, clock, gauge, setup };
}

describe("startManifestVerifier", () => {
  test("resolves with a verified chain", async () => {
    const { verifier, gauge } = await startVerifier(good);
    expect(verifier.state()).toMatchObject({ verified: true, verifiedAtBlock: 5n, reason: null, pinned: true });
    expect(verifier.state().disabledGasTokens.has("0xa1")).toBe(true);
    expect(gauge.at(-1)).toBe(1);
  });

  test("verifies every 60 s, and is unverified while the chain contradicts the manifest", async () => {
    const { verifier, clock, gauge, setup } = await startVerifier(good);
    setup.next = bad;
    await clock.advance(59_000);
    expect(verifier.state().verified).toBe(true);
    await clock.advance(2_000);
    expect(verifier.state()).toMatchObject({
      verified: false,
      verifiedAtBlock: null,
      reason: "router is 0x1, not 0x2",
    });
    expect(gauge.at(-1)).toBe(0);
    setup.next = good;
    await clock.advance(3_000);
    expect(verifier.state().verified).toBe(true);
  });

  test("verifies within 2 s on request", async () => {
    const { verifier, clock, setup } = await startVerifier(good);
    await clock.advance(5_000);
    setup.next = bad;
    verifier.checkSoon();
    await clock.advance(2_500);
    expect(verifier.state().verified).toBe(false);
  });

  test("verifies within 2 s on a request right after a check, or during one", async () => {
    const { verifier, clock, setup } = await startVerifier(good);
    verifier.checkSoon();
    await clock.advance(2_500);
    expect(setup.proofs).toBe(2);
    setup.during = verifier.checkSoon;
    await clock.advance(60_000);
    expect(setup.proofs).toBe(3);
    await clock.advance(2_500);
    expect(setup.proofs).toBe(4);
  });

  test("keeps a proof for three minutes while the chain does not answer, and then drops it", async () => {
    const { verifier, clock, setup } = await startVerifier(good);
    setup.next = new Error("no answer");
    await clock.advance(170_000);
    expect(verifier.state().verified).toBe(true);
    await clock.advance(20_000);
    expect(verifier.state()).toMatchObject({ verified: false, reason: "the last proof is too old" });
  });

  test("starts unverified when the chain does not answer, and retries every 2 s", async () => {
    const { verifier, clock, setup } = await startVerifier(new Error("no answer"));
    expect(verifier.state()).toMatchObject({ verified: false, reason: expect.stringContaining("no answer") });
    setup.next = good;
    await clock.advance(2_500);
    expect(verifier.state().verified).toBe(true);
  });

  test("does not read the chain for a manifest that is not pinned", async () => {
    const { verifier, clock, setup } = await startVerifier(good, {
      pinned: false,
      reason: "MANIFEST_SHA256 is not set",
    });
    await clock.advance(70_000);
    expect([setup.proofs, verifier.state().verified, verifier.state().reason]).toEqual([
      0,
      false,
      "MANIFEST_SHA256 is not set",
    ]);
  });
});

describe("getProvenManifest", () => {
  const getCode = (state: object) => {
    try {
      getProvenManifest({ manifestState: () => state as never });
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test("rejects a manifest that is missing, not pinned or not verified", () => {
    const proven = { manifest, sha256: "ab", pinned: true, verified: true };
    expect(getCode(proven)).toBeNull();
    expect(getCode({ ...proven, manifest: null })).toBe("manifest_missing");
    expect(getCode({ ...proven, pinned: false })).toBe("manifest_unverified");
    expect(getCode({ ...proven, verified: false })).toBe("manifest_unverified");
  });
});
