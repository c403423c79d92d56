import { describe, expect, test } from "vitest";
import { contractUri, readMetadata, readMetadataLinks, readMetadataUri } from "./metadataDocument.ts";

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

  test("has the same bytes without options and with options that have no banner and no links", () => {
    const full = { ...draft, description: "d", website: "https://tin.example/" };
    const links = { x: null, telegram: null, discord: null, farcaster: null, github: null, website2: null };
    for (const options of [undefined, null, { banner_uri: null, links }]) {
      expect(contractUri(full, `0x${"ab".repeat(32)}`, options)).toBe(
        "data:application/json;base64,eyJuYW1lIjoiVGluIEJvYXQiLCJzeW1ib2wiOiJUSU4iLCJkZXNjcmlwdGlvbiI6ImQiLCJpbWFnZSI6Imlw" +
          "ZnM6Ly9iYWZ5IiwiZXh0ZXJuYWxfbGluayI6Imh0dHBzOi8vdGluLmV4YW1wbGUvIiwiZHJhZnRfY29tbWl0bWVudCI6IjB4YWJhYmFiYWJhYmFiYWJh" +
          "YmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYiJ9",
      );
    }
  });

  test("has banner and links after the commitment, the links in fixed order", () => {
    const none = { telegram: null, discord: null, farcaster: null, github: null };
    const options = { banner_uri: "ipfs://banner", links: { website2: "https://w/", ...none, x: "https://x.com/t" } };
    expect(atob(contractUri(draft, "0x5a", options).split(",")[1]!)).toBe(
      '{"name":"Tin Boat","symbol":"TIN","image":"ipfs://bafy","draft_commitment":"0x5a","banner_image":"ipfs://banner",' +
        '"links":{"x":"https://x.com/t","website2":"https://w/"}}',
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

describe("readMetadata", () => {
  test.each<[string, string | null, string | null]>([
    ["https://Tin.Example", "https://tin.example/", "https://tin.example/"],
    ["https://tin.example:443/a/../bü", "https://tin.example/b%C3%BC", "https://tin.example/b%C3%BC"],
    ["ipfs://NotACid/ü.png", "ipfs://NotACid/%C3%BC.png", null],
    ["https://tin.example@evil.example/", null, null],
    ["https://tin.example\\@evil.example/", null, null],
    ["https://tin.example/a b", null, null],
    ["https://tin.example/\u0000", null, null],
    ["https:///tin.example/", null, null],
    ["http://tin.example/", null, null],
    [`https://tin.example/${"a".repeat(256)}`, null, null],
  ])("C4-23 returns the links %s in the normal form of drafts, or null", (link, image, website) => {
    expect(readMetadata({ image: link, external_link: link })).toEqual({ description: null, image, website });
  });
});

describe("readMetadataLinks", () => {
  const none = { x: null, telegram: null, discord: null, farcaster: null, github: null, website2: null };
  const toUri = (document: unknown) => `data:application/json;base64,${btoa(JSON.stringify(document))}`;

  test("returns the links that a launch wrote", () => {
    const links = { ...none, x: "https://x.com/tin", website2: "https://tin.example/" };
    expect(readMetadataLinks(contractUri(draft, undefined, { banner_uri: null, links }))).toEqual(links);
    expect(readMetadataLinks(contractUri(draft))).toEqual(none);
  });

  test.each([
    ["on another host", { x: "https://x.com.evil.example/tin" }],
    ["without https", { telegram: "http://t.me/tin", website2: "javascript:alert(1)" }],
    ["with credentials", { website2: "https://tin.example@evil.example/" }],
    ["that is too long", { website2: `https://tin.example/${"a".repeat(300)}` }],
    ["that is not text", { discord: 7, github: ["https://github.com/tin"] }],
    ["of an unknown name", { myspace: "https://myspace.example/tin" }],
    ["in a list", ["https://x.com/tin"]],
  ])("returns null for a link %s", (_, links) => {
    expect(readMetadataLinks(toUri({ links }))).toEqual(none);
  });

  test.each([["https://tin.example/a.json"], ["data:application/json,{"], [toUri(null)], [toUri([1])]])(
    "returns null for all links of %s",
    (uri) => {
      expect(readMetadataLinks(uri)).toEqual(none);
    },
  );
});
