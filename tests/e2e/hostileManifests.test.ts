import { startServer } from "@slipway/server/startServer";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { document, type Handler, json, soon, useManifestService } from "../support/e2e/useManifestService.ts";

const stack = useManifestService();
const { pages, seen, get, launch, startJob, row } = stack;

describe("C5-07 C5-06 a hostile document is refused and its code is shown:", () => {
  test.each<[string, Handler | null, string, string?]>([
    ["no JSON", json("<html>"), "not_a_document"],
    ["an array", json([1]), "not_a_document"],
    ["without a name", json({ image: "https://a.example/" }), "not_a_document"],
    [
      "no UTF-8",
      (_q, response) => response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.from([0x22, 0xff, 0x22])),
      "not_a_document",
    ],
    ["deeply nested", json(`${"[".repeat(100_000)}`), "not_a_document"],
    ["too large", json({ name: "x", description: "y".repeat(300_000) }), "too_large"],
    ["a page", (_q, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"), "wrong_type"],
    [
      "a redirect to cloud metadata",
      (_q, response) => response.writeHead(302, { location: "https://169.254.169.254/" }).end(),
      "address_refused",
    ],
    [
      "a redirect to http",
      (_q, response) => response.writeHead(302, { location: "http://a.example/" }).end(),
      "url_refused",
    ],
    ["missing", null, "bad_status"],
    ["on this machine", null, "address_refused", "https://127.0.0.1:8787/"],
    ["with credentials", null, "url_refused", "https://user:secret@documents.example/"],
    ["an ipfs URI that climbs", null, "uri_refused", "ipfs://../../etc/passwd"],
  ])("%s", async (name, page, code, uri) => {
    const path = `/hostile/${encodeURIComponent(name)}.json`;
    if (page) pages.set(path, page);
    const token = await launch(uri ?? stack.outsideUrl(path));
    startJob();
    await vi.waitFor(async () => expect((await row(token))?.error).toBe(code), soon);
    await vi.waitFor(async () => {
      const { body } = await get(`/tokens/${token}`);
      expect(body).toMatchObject({ name: "Direct Boat", image_url: null, description: null, website: null });
      expect(body.warnings).toContainEqual({ code: "metadata_unavailable", message: expect.stringContaining(code) });
    }, soon);
  });

  test("C2-14 texts are cleaned, and links that are not https or ipfs dropped", async () => {
    const hostile = {
      name: "\u0000",
      description: `a\u0000b\u202ec\u2066d\ud800${"x".repeat(5_000)}`,
      image: "data:image/svg+xml,<svg onload=alert(1)>",
      external_link: "javascript:alert(1)",
    };
    pages.set("/hostile.json", json(hostile));
    const token = await launch(stack.outsideUrl("/hostile.json"));
    startJob();
    await vi.waitFor(async () => {
      const { body } = await get(`/tokens/${token}`);
      expect(body.description).toBe(`abcd\ufffd${"x".repeat(995)}`);
      expect([body.image_url, body.website]).toEqual([null, null]);
    }, soon);
  });
});

test("C5-06 the server's worker role does the job, and to it no loopback address is public", async () => {
  pages.set("/inner.json", json(document));
  const token = await launch(`https://127.0.0.2:${stack.outsidePort()}/inner.json`);
  const deps = stack.deps();
  const config = { ...deps.config, ROLES: ["worker" as const] };
  const worker = await startServer({ config, log: deps.log, clock: deps.clock });
  onTestFinished(() => worker.stop());
  await vi.waitFor(async () => expect((await row(token))?.error).toBe("address_refused"), soon);
  expect(seen).toEqual([]);
});
