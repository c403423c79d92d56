import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCid, parsePublishedUri } from "./publishedUri.ts";

const cidV0 = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const cidV1 = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

describe("parsePublishedUri", () => {
  it.each([
    ["https://Tin.Example", "https://tin.example/"],
    ["https://tin.example:443/../a/./b", "https://tin.example/a/b"],
    ["https://tin.example:8443/a?b=c#d", "https://tin.example:8443/a?b=c#d"],
    ["https://münchen.example/straße?q=ü#ß", "https://xn--mnchen-3ya.example/stra%C3%9Fe?q=%C3%BC#%C3%9F"],
    ["https://a.example/\u202exe", "https://a.example/%E2%80%AExe"],
    ["https://exa\u00admple.com/", "https://example.com/"],
    ['https://a.example/"<>`', "https://a.example/%22%3C%3E%60"],
    ["https://a.example/a%20b%zz", "https://a.example/a%20b%zz"],
    ["https://0x7f.1/", "https://127.0.0.1/"],
    ["https://a.example/a@b", "https://a.example/a@b"],
    [`ipfs://${cidV0}/a.png`, `ipfs://${cidV0}/a.png`],
    [`ipfs://${cidV1}`, `ipfs://${cidV1}`],
    [`ipfs://${cidV1}/ü.png`, `ipfs://${cidV1}/%C3%BC.png`],
  ])("normalises %s", (value, uri) => {
    expect(parsePublishedUri(value)).toEqual({ ok: true, uri, warnings: [] });
  });

  it.each([
    ["", "empty"],
    ["https://a.example/a b", "space"],
    [" https://a.example/", "space"],
    ["https://a.example/a\u00a0b", "space"],
    ["https://a.example/\u2028", "space"],
    ["https://a.exa\nmple/", "control_character"],
    ["https://a.example/\t", "control_character"],
    ["https://a.example/\0", "control_character"],
    ["https://a.example/\u0085", "control_character"],
    ["https://a.example\\b", "backslash"],
    ["https:\\\\a.example", "backslash"],
    ["ipfs://a\\b", "backslash"],
    ["https://user@a.example/", "userinfo"],
    ["https://user:pass@a.example/", "userinfo"],
    ["https://@a.example/", "userinfo"],
    ["https://:@a.example/", "userinfo"],
    ["https://good.example@evil.example/", "userinfo"],
    ["ipfs://user@cid/", "userinfo"],
    ["https://", "no_host"],
    ["https:///a.example", "no_host"],
    ["https://?a", "no_host"],
    ["https://#a", "no_host"],
    ["ipfs:///cid", "no_host"],
    ["ipfs://", "no_host"],
    ["https://a.example:99999/", "unparseable"],
    ["https://a.example:x/", "unparseable"],
    ["https://a%00b.example/", "unparseable"],
    ["https://a<b.example/", "unparseable"],
    ["https://[::1/", "unparseable"],
    ["https://1.2.3.256/", "unparseable"],
    ["https://:443/", "unparseable"],
    ["http://a.example/", "scheme"],
    ["HTTPS://a.example/", "scheme"],
    ["https:a.example", "scheme"],
    ["https:/a.example", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["data:text/html,x", "scheme"],
    ["//a.example", "scheme"],
    ["a.example", "scheme"],
    ["https://a.example/\ud800", "unpaired_surrogate"],
    [`https://a.example/${"a".repeat(239)}`, "too_long"],
  ])("rejects %j", (value, reason) => {
    expect(parsePublishedUri(value)).toMatchObject({ ok: false, reason });
  });

  it("accepts 256 characters, before and after normalisation", () => {
    const uri = `https://a.example/${"a".repeat(238)}`;
    expect(uri).toHaveLength(256);
    expect(parsePublishedUri(uri)).toMatchObject({ ok: true, uri });
    // 26 characters, each of which becomes nine.
    expect(parsePublishedUri(`https://a.example/${"日".repeat(26)}`)).toMatchObject({ ok: true });
    expect(parsePublishedUri(`https://a.example/${"日".repeat(27)}`)).toMatchObject({ ok: false, reason: "too_long" });
    // The added slash counts.
    const bare = `https://${"a.".repeat(120)}${"b".repeat(8)}`;
    expect(bare).toHaveLength(256);
    expect(parsePublishedUri(bare)).toMatchObject({ ok: false, reason: "too_long" });
  });

  it("accepts only the schemes of the field", () => {
    expect(parsePublishedUri(`ipfs://${cidV1}`, ["https"])).toEqual({
      ok: false,
      reason: "scheme",
      message: "must start with https://",
    });
    expect(parsePublishedUri("https://a.example", ["https"])).toMatchObject({ ok: true });
  });

  it.each([
    ["https://localhost/", "host_without_dot"],
    ["https://localhost./", "host_without_dot"],
    ["https://intranet/x.y", "host_without_dot"],
    ["https://[::1]/", "host_without_dot"],
    ["ipfs://bafy", "ipfs_cid_invalid"],
    [`ipfs://ipfs/${cidV0}`, "ipfs_cid_invalid"],
    [`ipfs://${cidV0.slice(0, -1)}`, "ipfs_cid_invalid"],
    ["ipfs://tin.example/a.png", "ipfs_cid_invalid"],
  ])("warns of %s", (value, code) => {
    expect(parsePublishedUri(value)).toMatchObject({ ok: true, warnings: [{ code }] });
  });

  it("returns a normal form: ASCII, with the same scheme, unchanged by another parse", () => {
    const tail = fc.string({ unit: "binary", maxLength: 30 });
    const pieces = fc
      .array(fc.constantFrom(..."aB.:/?#%@[]-~'|^ü日é\u00ad|", "%2e", "..", "xn--", "0x", "%"), { maxLength: 20 })
      .map((parts) => parts.join(""));
    const value = fc
      .tuple(fc.constantFrom("https://", "ipfs://", "https://a.example/", `ipfs://${cidV1}/`), fc.oneof(tail, pieces))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(value, (text) => {
        const result = parsePublishedUri(text);
        if (!result.ok) return;
        expect(result.uri).toMatch(/^(ipfs|https):\/\/[\x21-\x7e]+$/);
        expect(result.uri.length).toBeLessThanOrEqual(256);
        expect(result.uri).not.toContain("\\");
        expect(result.uri.split(":")[0]).toBe(text.split(":")[0]);
        expect(parsePublishedUri(result.uri)).toEqual(result);
        const url = new URL(result.uri);
        expect([url.username, url.password]).toEqual(["", ""]);
        expect(url.hostname).not.toBe("");
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("isCid", () => {
  it.each([
    ["version 0", cidV0],
    ["version 1 in base32", cidV1],
    ["version 1 in upper case", cidV1.toUpperCase()],
    ["version 1 of dag-pb", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"],
    ["version 1 in base58btc", "zdj7WWeQ43G6JJvLWQWZpyHuAMq6uYWRjkBXFad11vE2LHhQ7"],
    ["version 1 in base36", "k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8"],
    ["version 1 in base16", "f01551220c3c4733ec8affd06cf9e9ff50ffc6bcd2ec85a6170004bb709669c31de94391a"],
    ["an identity hash", "bafkqaaa"],
  ])("accepts %s", (_, cid) => {
    expect(isCid(cid)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["a prefix alone", "b"],
    ["a word", "bafy"],
    ["a cut version 0", cidV0.slice(0, -1)],
    ["version 0 with a letter outside base58", cidV0.replace("Y", "0")],
    ["version 0 with one more letter", `${cidV0}a`],
    ["a cut version 1", cidV1.slice(0, -4)],
    ["version 1 with a digit outside base32", cidV1.replace("g", "1")],
    ["mixed case", cidV1.replace("f", "F")],
    ["version 0 in a multibase", `z${cidV0}`],
    ["a path", `${cidV1}/a`],
    ["a host", "tin.example"],
    ["an IPNS name", "ipns"],
  ])("rejects %s", (_, text) => {
    expect(isCid(text)).toBe(false);
  });
});
