import { describe, expect, test } from "vitest";
import { contractUri, readMetadataUri } from "./metadataDocument.ts";

const draft = { name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy" };

describe("contractUri", () => {
  test("is deterministic for any order of the draft's keys", () => {
    const uri = contractUri(draft);
    expect(uri).toBe(contractUri({ image_uri: "ipfs://bafy", symbol: "TIN", name: "Tin Boat" }));
    expect(atob(uri.split(",")[1]!)).toBe('{"name":"Tin Boat","symbol":"TIN","image":"ipfs://bafy"}');
  });

  test("omits empty fields", () => {
    expect(contractUri({ ...draft, description: "", website: undefined })).toBe(contractUri(draft));
  });

  test("ends with the commitment to the draft", () => {
    const commitment = `0x${"5a".repeat(32)}` as const;
    expect(atob(contractUri(draft, commitment).split(",")[1]!)).toBe(
      `{"name":"Tin Boat","symbol":"TIN","image":"ipfs://bafy","draft_commitment":"${commitment}"}`,
    );
  });

  test("can be fetched, and readMetadataUri returns its fields", async () => {
    const full = {
      ...draft,
      name: 'Quote " backslash \\ 100% # ?',
      description: 'Zeile 1\nZeile "2"\t€ 日本 \u{1f6a2}',
      website: "https://tin.example/a%20b?c=d#e",
    };
    const uri = contractUri(full);
    expect(await (await fetch(uri)).json()).toEqual({
      name: full.name,
      symbol: "TIN",
      description: full.description,
      image: "ipfs://bafy",
      external_link: full.website,
    });
    expect(readMetadataUri(uri)).toMatchObject({ image: "ipfs://bafy", website: full.website });
  });
});
