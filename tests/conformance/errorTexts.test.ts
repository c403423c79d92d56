import { describe, expect, it } from "vitest";
import type { Call } from "../support/conformance/call.ts";
import { findErrorTextFault } from "../support/conformance/errorText.ts";
import { createInvalidBodies } from "../support/conformance/invalidBodies.ts";
import type { Operation } from "../support/conformance/openApi.ts";
import { call, caller, openSession } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

const operations = [...caller.api.operations.values()].filter(
  ({ path }) => target.adminKey !== null || !path.startsWith("/api/admin/"),
);
const withBody = operations.filter(({ hasBody }) => hasBody);
const withPath = operations.filter(({ path }) => path.includes("{"));

/** The credential for operations of an account: one session for all requests of a test. */
async function openFor({ site, guarded, path }: Operation): Promise<Call> {
  if (!site || !guarded || /^\/api\/(admin|risk)\//.test(path)) return {};
  return { key: null, headers: await openSession(path === "/api/alerts") };
}

describe.each(withBody.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
  it("says in a sentence what is wrong with each body that its schema does not allow", async () => {
    const opened = await openFor(operation);
    const valid = validCalls[name]!();
    const { schema } = operation.about.requestBody!.content["application/json"]!;
    const bodies = createInvalidBodies(schema!, caller.api.document.components.schemas, valid.body);
    expect(bodies.length).toBeGreaterThan(3);
    const messages = new Set<string>();
    for (const { body, field, what } of bodies) {
      const answer = await call(name, { ...valid, ...opened, headers: { ...valid.headers, ...opened.headers }, body });
      const { error } = answer.body ?? {};
      expect([answer.status, error?.code], `${what}: ${JSON.stringify(body)}`).toEqual([422, "invalid_fields"]);
      expect(findErrorTextFault(error), what).toBeNull();
      expect(error.field, what).toBe(field);
      expect(error.message.startsWith(field) || /^[A-Z]/.test(error.message), error.message).toBe(true);
      if (what.startsWith("without")) expect(error.message).toBe(`${field} is required.`);
      messages.add(error.message);
    }
    expect(messages.size).toBeGreaterThan(3);
  });
});

describe.each(withPath.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
  it("says in a sentence what is wrong with its path", async () => {
    const opened = await openFor(operation);
    const valid = validCalls[name]!();
    for (const [parameter] of operation.path.matchAll(/(?<=\{)\w+/g)) {
      for (const value of ["x", "0x12", `0x${"0".repeat(40)}`, "%00", "x".repeat(300)]) {
        const headers = { ...valid.headers, ...opened.headers };
        const path = { ...valid.path, [parameter]: value };
        const { status, body } = await call(name, { ...valid, ...opened, headers, path });
        expect([400, 404], `${name} ${value}`).toContain(status);
        expect(findErrorTextFault(body.error), value).toBeNull();
        if (status === 400)
          expect([body.error.field, body.error.message]).toEqual([
            parameter,
            expect.stringMatching(`^${parameter} must `),
          ]);
      }
    }
  });
});

describe("a credential that is missing", () => {
  it("is described with how to send a key and how to sign in", async () => {
    for (const operation of operations.filter(({ guarded }) => guarded)) {
      const { status, body } = await call(operation.name, { ...validCalls[operation.name]!(), key: null });
      expect([status, findErrorTextFault(body.error)], operation.name).toEqual([401, null]);
      expect(body.error.message).toContain("Authorization: Bearer");
      expect(body.error.message).toContain("POST /api/auth/siwe/nonce");
    }
  });

  it("is described apart from one that is refused", async () => {
    const ask = async (headers: Record<string, string>) =>
      (await call("GET /api/account", { key: null, headers })).body.error.message as string;
    expect(await ask({ authorization: "Basic YTpi" })).toMatch(/Authorization: Bearer/);
    expect(await ask({ authorization: "Bearer unknown-key" })).toMatch(/unknown, expired or revoked/);
    const cookie = (await openSession(false)).cookie!;
    const forged = `${cookie.slice(0, -4)}AAAA`;
    expect(await ask({ cookie: forged })).toMatch(/signed out.*POST \/api\/auth\/siwe\/nonce/);
  });
});
