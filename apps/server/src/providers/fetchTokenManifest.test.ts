import { expect, test } from "vitest";
import { getDocumentUrl } from "./fetchTokenManifest.ts";

const gateway = "https://gateway.example/base/";
const cid = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

test("returns an https URI unchanged, with and without a gateway", () => {
  for (const given of [gateway, undefined]) {
    expect(getDocumentUrl("HTTPS://a.example/x?y#z", given)).toBe("HTTPS://a.example/x?y#z");
  }
});

test.each([
  [`ipfs://${cid}`, `https://gateway.example/base/ipfs/${cid}`],
  [`ipfs://${cid}/`, `https://gateway.example/base/ipfs/${cid}/`],
  [`IPFS://ipfs/${cid}/a/b.json`, `https://gateway.example/base/ipfs/${cid}/a/b.json`],
  [`ipfs://${cid}/../../admin`, `https://gateway.example/base/ipfs/${cid}/admin`],
  [`ipfs://${cid}/%2e%2E/.%2e/admin`, `https://gateway.example/base/ipfs/${cid}/admin`],
])("maps %s to a path below the gateway's ipfs folder", (uri, url) => {
  expect(getDocumentUrl(uri, gateway)).toBe(url);
  expect(new URL(url).pathname.startsWith(`/base/ipfs/${cid}`)).toBe(true);
  expect(getDocumentUrl(uri, undefined)).toBeNull();
});

test.each([
  "ipfs://",
  "ipfs://../x",
  "ipfs://a@b/c",
  `ipfs://${cid}?x`,
  `ipfs://${cid}:80/`,
  "http://a.example",
  "ar://x",
])("returns null for %s", (uri) => {
  expect(getDocumentUrl(uri, gateway)).toBeNull();
});
