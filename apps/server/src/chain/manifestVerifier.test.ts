import type { Manifest } from "@slipway/protocol/manifest";
import { pino } from "pino";
import { onTestFinished, describe, expect, test } from "vitest";
import { type ChainProof, startManifestVerifier } from "./manifestVerifier.ts";
import { getProvenManifest } from "./readChain.ts";

const good: ChainProof = { blockNumber: 5n, problems: [], disabledGasTokens: new Set(["0xa1"]) };
const bad: ChainProof = { blockNumber: 6n, problems: ["router is 0x1, not 0x2"], disabledGasTokens: new Set() };
const manifest = { chain_id: 1 } as Manifest;

/** A clock that a test turns; sleepers wake when their time has come. */
function handClock() {
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
    pass: async (milliseconds: number) => {
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

async function watched(
  first: ChainProof | Error,
  file: Partial<Parameters<typeof startManifestVerifier>[0]["file"]> = {},
) {
  const clock = handClock();
  const gauge: number[] = [];
  const setup = { next: first as ChainProof | Error, proofs: 0, during: () => {} };
  const watch = await startManifestVerifier({
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
  onTestFinished(watch.close);
  return { watch, clock, gauge, setup };
}

describe("startManifestWatch", () => {
  test("has proven the chain when it resolves", async () => {
    const { watch, gauge } = await watched(good);
    expect(watch.state()).toMatchObject({ verified: true, verifiedAtBlock: 5n, reason: null, pinned: true });
    expect(watch.state().disabledGasTokens.has("0xa1")).toBe(true);
    expect(gauge.at(-1)).toBe(1);
  });

  test("proves again every 60 s and closes when the chain contradicts the manifest", async () => {
    const { watch, clock, gauge, setup } = await watched(good);
    setup.next = bad;
    await clock.pass(59_000);
    expect(watch.state().verified).toBe(true);
    await clock.pass(2_000);
    expect(watch.state()).toMatchObject({ verified: false, verifiedAtBlock: null, reason: "router is 0x1, not 0x2" });
    expect(gauge.at(-1)).toBe(0);
    setup.next = good;
    await clock.pass(3_000);
    expect(watch.state().verified).toBe(true);
  });

  test("proves within 2 s when asked", async () => {
    const { watch, clock, setup } = await watched(good);
    await clock.pass(5_000);
    setup.next = bad;
    watch.checkSoon();
    await clock.pass(2_500);
    expect(watch.state().verified).toBe(false);
  });

  test("proves within 2 s when asked right after a proof, or during one", async () => {
    const { watch, clock, setup } = await watched(good);
    watch.checkSoon();
    await clock.pass(2_500);
    expect(setup.proofs).toBe(2);
    setup.during = watch.checkSoon;
    await clock.pass(60_000);
    expect(setup.proofs).toBe(3);
    await clock.pass(2_500);
    expect(setup.proofs).toBe(4);
  });

  test("lets a proof stand for three minutes while the chain does not answer, then no more", async () => {
    const { watch, clock, setup } = await watched(good);
    setup.next = new Error("no answer");
    await clock.pass(170_000);
    expect(watch.state().verified).toBe(true);
    await clock.pass(20_000);
    expect(watch.state()).toMatchObject({ verified: false, reason: "the last proof is too old" });
  });

  test("comes up unproven when the chain does not answer, and tries again every 2 s", async () => {
    const { watch, clock, setup } = await watched(new Error("no answer"));
    expect(watch.state()).toMatchObject({ verified: false, reason: expect.stringContaining("no answer") });
    setup.next = good;
    await clock.pass(2_500);
    expect(watch.state().verified).toBe(true);
  });

  test("does not even ask the chain for a manifest that is not pinned", async () => {
    const { watch, clock, setup } = await watched(good, { pinned: false, reason: "MANIFEST_SHA256 is not set" });
    await clock.pass(70_000);
    expect([setup.proofs, watch.state().verified, watch.state().reason]).toEqual([
      0,
      false,
      "MANIFEST_SHA256 is not set",
    ]);
  });
});

describe("provenManifest", () => {
  const codeOf = (state: object) => {
    try {
      getProvenManifest({ manifestState: () => state as never });
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test("refuses what is missing, not pinned or not proven", () => {
    const proven = { manifest, sha256: "ab", pinned: true, verified: true };
    expect(codeOf(proven)).toBeNull();
    expect(codeOf({ ...proven, manifest: null })).toBe("manifest_missing");
    expect(codeOf({ ...proven, pinned: false })).toBe("manifest_unverified");
    expect(codeOf({ ...proven, verified: false })).toBe("manifest_unverified");
  });
});
