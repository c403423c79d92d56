import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTestFolder } from "../../../../tests/support/createTestFolder.ts";
import { testManifest } from "../../../../tests/support/server/testManifest.ts";
import { readManifest } from "./readManifest.ts";

/** Writes a file in the test's folder. @returns Its path, and the hash of its bytes. */
function writeFile(content: string): { path: string; sha256: string } {
  const path = join(createTestFolder(), "manifest.json");
  writeFileSync(path, content);
  return { path, sha256: createHash("sha256").update(content).digest("hex") };
}

const read = (path?: string, pin?: string) => readManifest({ MANIFEST_PATH: path, MANIFEST_SHA256: pin });
const none = (problem: unknown) => ({ manifest: null, sha256: null, problem });

describe("readManifest", () => {
  const text = JSON.stringify(testManifest);

  it("returns the pinned manifest, for a pin in any case, with or without 0x", async () => {
    const { path, sha256 } = writeFile(text);
    for (const pin of [sha256, `0x${sha256.toUpperCase()}`]) {
      const found = await read(path, pin);
      expect([found.manifest?.chain_id, found.sha256, found.problem]).toEqual([testManifest.chain_id, sha256, null]);
    }
  });

  it("returns neither manifest nor problem if no manifest is configured", async () => {
    expect(await read()).toEqual(none(null));
  });

  it("returns no content of a file that is not pinned, and reports both hashes", async () => {
    const { path, sha256 } = writeFile(text);
    const other = "ab".repeat(32);
    const { problem, ...rest } = await read(path, other);
    expect(rest).toEqual({ manifest: null, sha256: null });
    expect(problem).toMatch(new RegExp(`^MANIFEST_SHA256: .*${sha256}.*${other}.*; find out who changed the file`));
  });

  it("reports the missing setting if only one of the two is set", async () => {
    const { path, sha256 } = writeFile(text);
    expect(await read(path)).toEqual(none(expect.stringMatching(/^MANIFEST_SHA256: is not set, but MANIFEST_PATH is/)));
    expect(await read(undefined, sha256)).toEqual(
      none(expect.stringMatching(/^MANIFEST_PATH: is not set, but MANIFEST_SHA256 is/)),
    );
  });

  it("reports a file that cannot be read, is not JSON, or is not a manifest", async () => {
    const missing = join(createTestFolder(), "none.json");
    expect(await read(missing, "ab".repeat(32))).toEqual(
      none(expect.stringMatching(/^MANIFEST_PATH: .*cannot be read \(ENOENT\)/)),
    );
    const [noJson, noManifest] = [writeFile("{"), writeFile('{"version":2}')];
    expect(await read(noJson.path, noJson.sha256)).toEqual(none("MANIFEST_PATH: the manifest is not JSON"));
    expect(await read(noManifest.path, noManifest.sha256)).toEqual(
      none(expect.stringMatching(/^MANIFEST_PATH: the manifest does not match its schema:[\s\S]*chain_id/)),
    );
  });
});
