import { describe, expect, it } from "vitest";
import { readManifest } from "./readManifest.ts";

const withCode = (code: string) => expect.objectContaining({ code });

describe("readManifest", () => {
  it("refuses bytes that differ from the pinned ones", () => {
    expect(() => readManifest("{}", "00".repeat(32))).toThrow(withCode("manifest_hash_mismatch"));
  });

  it("refuses invalid JSON", () => {
    expect(() => readManifest("{")).toThrow(withCode("manifest_invalid"));
    expect(() => readManifest(new Uint8Array([0xff, 0xfe]))).toThrow(withCode("manifest_invalid"));
  });

  it("refuses a manifest of another version", () => {
    expect(() => readManifest(JSON.stringify({ version: 1 }))).toThrow(/expected 2[\s\S]*version/);
  });

  it("names every invalid field", () => {
    expect(() => readManifest(JSON.stringify({ version: 2, chain_id: -5, surprise: true }))).toThrow(/chain_id[\s\S]*/);
    expect(() => readManifest(JSON.stringify({ version: 2, surprise: true }))).toThrow(/surprise/);
  });
});
