import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newBusiness, newKey, opening, token, unknownToken, validCalls } from "../support/conformance/validCalls.ts";

const publish = async (headers = newKey(), body = newBusiness()) => await call("POST /businesses", { headers, body });
const report = (body: object) => call("POST /reports", { body: { reason: "spam", ...body } });
const denial = validCalls["POST /api/admin/denied-images"]!;
const { fixture, adminKey } = target;

statusCase("POST /reports", [202, 404, 422], "takes a report of what exists, once of an address", async () => {
  const { body: listed } = await publish();
  for (const text of ["First.", "Again."]) {
    const { status, body } = await report({ kind: "listing", id: listed.id, text });
    expect([status, body]).toEqual([202, { received: true }]);
  }
  expect((await report({ kind: "listing", id: randomUUID() })).body.error.code).toBe("listing_not_found");
  expect((await report({ kind: "token", id: unknownToken })).body.error.code).toBe("token_not_indexed");
  expect((await report({ kind: "image", id: "0".repeat(64) })).body.error.code).toBe("not_found");
  expect((await report({ kind: "opening", id: unknownToken })).body.error.code).toBe("opening_not_indexed");
  expect((await report({ kind: "image", id: listed.id })).body.error.field).toBe("id");
});

if (adminKey !== null) {
  const moderate = (kind: string, id: string, blocked: boolean) =>
    call(`PATCH /api/admin/${kind}s/{id}`, { path: { id }, body: { blocked, reason: "A test blocks it." } });

  for (const [kind, unknown, code] of [
    ["listing", randomUUID(), "listing_not_found"],
    ["token", unknownToken, "token_not_indexed"],
    ["image", "0".repeat(64), "not_found"],
    ["opening", unknownToken, "opening_not_indexed"],
  ] as const) {
    statusCase(`PATCH /api/admin/${kind}s/{id}`, [400, 404], "finds only what exists", async () => {
      expect((await moderate(kind, unknown, true)).body.error.code).toBe(code);
      expect((await moderate(kind, "x", true)).body.error.code).toBe("invalid_request");
    });
  }

  statusCase("PATCH /api/admin/listings/{id}", 200, "blocks a listing, and ends its block", async () => {
    const { body: listed } = await publish();
    expect((await moderate("listing", listed.id, true)).body).toMatchObject({ kind: "listing", blocked: true });
    expect((await call("GET /businesses/{id}", { path: { id: listed.id } })).status).toBe(404);
    expect((await moderate("listing", listed.id, false)).body.blocked).toBe(false);
    expect((await call("GET /businesses/{id}", { path: { id: listed.id } })).status).toBe(200);
  });

  statusCase("POST /businesses", 404, "does not show a blocked listing to a retry", async () => {
    const [headers, sent] = [newKey(), newBusiness()];
    const { body: listed } = await publish(headers, sent);
    await moderate("listing", listed.id, true);
    const { status, body } = await publish(headers, sent);
    expect([status, body.error.code]).toEqual([404, "listing_not_found"]);
  });

  statusCase(
    "PATCH /api/admin/tokens/{id}",
    200,
    "ends the block of a token",
    async () => {
      const { status, body } = await moderate("token", token, false);
      expect([status, body]).toMatchObject([200, { kind: "token", id: token, blocked: false }]);
    },
    { signs: true },
  );

  statusCase(
    "PATCH /api/admin/images/{id}",
    200,
    "ends the block of a picture",
    async () => {
      const { status, body } = await moderate("image", fixture!.imageSha256, false);
      expect([status, body.blocked]).toEqual([200, false]);
    },
    { signs: true },
  );

  statusCase(
    "PATCH /api/admin/openings/{id}",
    200,
    "ends the block of an opening",
    async () => {
      const { status, body } = await moderate("opening", opening, false);
      expect([status, body]).toMatchObject([200, { kind: "opening", id: opening, blocked: false }]);
      const shown = await call("GET /openings/{address}", { path: { address: opening } });
      expect(shown.body.blocked).toBe(false);
    },
    { signs: true },
  );

  statusCase(
    "POST /api/admin/denied-images",
    [200, 404, 422],
    "adds a hash, and refuses one that is plain",
    async () => {
      const deny = (body: object) => call("POST /api/admin/denied-images", { body: { reason: "A test.", ...body } });
      const { status, body } = await deny({ dhash: "0123456789abcdef", within: 0 });
      expect([status, body]).toMatchObject([200, { dhash: "0123456789abcdef", within: 0, blocked: 0 }]);
      expect((await deny({ sha256: "0".repeat(64) })).body.error.code).toBe("not_found");
      expect((await deny({ dhash: "0".repeat(16) })).body.error.field).toBe("within");
      expect((await deny({})).body.error.field).toBe("dhash");
    },
  );

  statusCase("GET /api/admin/denied-images", 200, "lists the entries", async () => {
    await call("POST /api/admin/denied-images", denial());
    const { body } = await call("GET /api/admin/denied-images");
    expect(body.items).toEqual(expect.arrayContaining([expect.objectContaining({ dhash: "0123456789abcdef" })]));
  });

  statusCase("DELETE /api/admin/denied-images/{id}", [200, 400, 404], "removes an entry once", async () => {
    const { body } = await call("POST /api/admin/denied-images", denial());
    const remove = (id: string) => call("DELETE /api/admin/denied-images/{id}", { path: { id } });
    expect((await remove(body.id)).body).toEqual({ removed: true });
    expect((await remove(body.id)).body.error.code).toBe("not_found");
    expect((await remove("x")).body.error.code).toBe("invalid_request");
  });
}
