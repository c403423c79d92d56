import type { Manifest } from "@slipway/protocol/manifest";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createManualClock } from "../../../../tests/support/server/manualClock.ts";
import { type ChainProof, startManifestVerifier } from "./manifestVerifier.ts";
import { getProvenManifest } from "./readChain.ts";
import type { ManifestFile } from "./readManifest.ts";

const good: ChainProof = { blockNumber: 5n, problems: [], disabledGasTokens: new Set(["0xa1"]) };
const bad: ChainProof = { blockNumber: 6n, problems: ["router is 0x1, not 0x2"], disabledGasTokens: new Set() };
const manifest = { chain_id: 1 } as Manifest;

async function startVerifier(
  first: ChainProof | Error,
  file: ManifestFile = { manifest, sha256: "ab", problem: null },
) {
  const clock = createManualClock();
  const gauge: number[] = [];
  const warned: string[] = [];
  const failed: string[][] = [];
  const setup = { next: first as ChainProof | Error, proofs: 0, during: () => {} };
  const verifier = await startManifestVerifier({
    file,
    prove: async () => {
      setup.proofs++;
      setup.during();
      setup.during = () => undefined;
      if (setup.next instanceof Error) throw setup.next;
      return setup.next;
    },
    clock,
    log: Object.assign(pino({ level: "silent" }), {
      warn: ({ tokens }: { tokens?: string }) => tokens && warned.push(tokens),
      error: ({ problems }: { problems?: string[] }) => problems && failed.push(problems),
    }),
    metrics: { manifestVerified: { set: (value: number) => gauge.push(value) } } as never,
  });
  onTestFinished(verifier.close);
  return { verifier, clock, gauge, setup, warned, failed };
}

describe("startManifestVerifier", () => {
  test("resolves with a verified chain", async () => {
    const { verifier, gauge } = await startVerifier(good);
    expect(verifier.state()).toMatchObject({ verified: true, verifiedAtBlock: 5n, reason: null });
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

  test("verifies within 2 s on a request during or right after a check", async () => {
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

  test("keeps a proof for three minutes while the chain does not answer, then drops it", async () => {
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

  test("does not read the chain without a pinned manifest, and reports why the manifest is missing", async () => {
    const { verifier, clock, setup } = await startVerifier(good, { manifest: null, sha256: null, problem: "another" });
    await clock.advance(70_000);
    expect([setup.proofs, verifier.state().verified, verifier.state().reason]).toEqual([0, false, "another"]);
    const none = await startVerifier(good, { manifest: null, sha256: null, problem: null });
    expect(none.verifier.state().reason).toBe("no manifest is configured");
  });

  test("logs a failure once for each reason, and again after a success", async () => {
    const { clock, setup, failed } = await startVerifier(bad);
    await clock.advance(20_000);
    expect(setup.proofs).toBeGreaterThan(5);
    expect(failed).toEqual([["router is 0x1, not 0x2"]]);
    setup.next = { ...bad, problems: ["chain_id is 1, not 2"] };
    await clock.advance(10_000);
    setup.next = good;
    await clock.advance(10_000);
    setup.next = { ...bad, problems: ["chain_id is 1, not 2"] };
    await clock.advance(70_000);
    expect(failed.slice(1)).toEqual([["chain_id is 1, not 2"], ["chain_id is 1, not 2"]]);
  });

  test("logs the disabled tokens of the gas station once", async () => {
    const { clock, setup, warned } = await startVerifier(good);
    await clock.advance(120_000);
    expect(warned).toEqual(["0xa1"]);
    setup.next = { ...good, disabledGasTokens: new Set(["0xa2", "0xa1"]) };
    await clock.advance(120_000);
    expect(warned).toEqual(["0xa1", "0xa1,0xa2"]);
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

  test("rejects a manifest that is missing or not verified", () => {
    const proven = { manifest, sha256: "ab", verified: true };
    expect(getCode(proven)).toBeNull();
    expect(getCode({ ...proven, manifest: null })).toBe("manifest_missing");
    expect(getCode({ ...proven, verified: false })).toBe("manifest_unverified");
  });
});
