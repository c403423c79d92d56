import { describe, expect, it } from "vitest";
import { readManifest } from "../src/readManifest.ts";

const withCode = (code: string) => expect.objectContaining({ code });

describe("readManifest", () => {
  it("refuses other bytes than those that were pinned", () => {
    expect(() => readManifest("{}", "00".repeat(32))).toThrow(withCode("manifest_hash_mismatch"));
  });

  it("refuses what is no JSON", () => {
    expect(() => readManifest("{")).toThrow(withCode("manifest_invalid"));
    expect(() => readManifest(new Uint8Array([0xff, 0xfe]))).toThrow(withCode("manifest_invalid"));
  });

  it("names every field that does not fit", () => {
    expect(() => readManifest(JSON.stringify({ version: 1, chain_id: -5, surprise: true }))).toThrow(/chain_id[\s\S]*/);
    expect(() => readManifest(JSON.stringify({ version: 1, surprise: true }))).toThrow(/surprise/);
  });
});
