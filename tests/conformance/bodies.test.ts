import { describe, expect, it } from "vitest";

import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

// Operations of the operator reject any other credential before they read the body.
const posts = [...caller.api.operations.values()]
  .filter(({ hasBody, path }) => hasBody && (target.adminKey !== null || !path.startsWith("/api/admin/")))
  .map(({ name }) => name);

/** Fields of valid bodies that may be missing. */
const optionalFields = new Set(["POST /intents recipients", "POST /api/forecast/line known_future"]);

/** Bodies that are not one JSON object. */
const noObjects: Record<string, string> = {
  nothing: "",
  "half an object": '{"token":',
  "text that is no JSON": "token=0x1",
  "an array": "[]",
  "an array with the right object": "[{}]",
  null: "null",
  "a number": "7",
  "a string": '"text"',
  "a key that reaches the prototype": '{"__proto__":{"x":1}}',
  "a constructor's prototype": '{"constructor":{"prototype":{"x":1}}}',
};

/** The status of an unreadable body: by docs/api.md it is 422 below /gas, like for every rejected body. */
const unreadable = (operation: string) => (operation.startsWith("POST /gas/") ? 422 : 400);

/** Accepts any body, because mail programs send their own. */
const ignoresBody = "POST /api/alerts/unsubscribe/{ticket}";

const withoutBody = [...caller.api.operations.values()]
  .filter(({ hasBody, takesFile, method }) => !hasBody && !takesFile && (method as string) !== "GET")
  .filter(({ name }) => name !== ignoresBody)
  .map(({ name }) => name);

describe.each(withoutBody)("%s", (operation) => {
  statusCase(
    operation,
    [400, 413],
    "refuses a body that is no JSON or above 64 KiB, though it needs none",
    async () => {
      const refused = await call(operation, { ...validCalls[operation]!(), rawBody: "{" });
      expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_json"]);
      const body = { description: "x".repeat(70_000) };
      const large = await call(operation, { ...validCalls[operation]!(), body });
      expect([large.status, large.body.error.code]).toEqual([413, "body_too_large"]);
    },
  );
});

statusCase(ignoresBody, 413, "refuses a body above 64 KiB", async () => {
  const body = { description: "x".repeat(70_000) };
  const { status, body: refused } = await call(ignoresBody, { ...validCalls[ignoresBody]!(), body });
  expect([status, refused.error.code]).toEqual([413, "body_too_large"]);
});

describe.each(posts)("%s", (operation) => {
  const valid = () => validCalls[operation]!();
  /** A body whose only faulty member is optional, for operations without required fields. */
  const faultyBody = {
    "PUT /intents/{id}/options": { initial_buy: {} },
    "POST /api/account/payments": { payment: {} },
    "POST /openings/{address}/authorizations": { value: 1 },
  };
  const hasOptionalFieldsAlone = operation in faultyBody;

  statusCase(operation, unreadable(operation), "refuses what is not one JSON object", async () => {
    for (const [what, rawBody] of Object.entries(noObjects)) {
      const answer = await call(operation, { ...valid(), body: undefined, rawBody });
      expect(answer.status, what).toBe(unreadable(operation));
      expect(["invalid_json", "invalid_fields"], what).toContain(answer.body.error.code);
    }
  });

  it("refuses another content type than JSON", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
    ]) {
      const { headers, body } = valid();
      const answer = await call(operation, {
        headers: { ...headers, "content-type": type },
        rawBody: JSON.stringify(body),
      });
      expect(answer.status, type).toBe(unreadable(operation));
    }
  });

  it("takes JSON with a charset", async () => {
    const { headers, body, ...others } = valid();
    const type = "application/json; charset=utf-8";
    const answer = await call(operation, {
      ...others,
      headers: { ...headers, "content-type": type },
      rawBody: JSON.stringify(body),
    });
    expect(answer.status).not.toBe(400);
  });

  const isTakenLonger = operation.startsWith("POST /gas/") || operation.startsWith("POST /api/forecast/");
  const tooLarge = isTakenLonger ? 422 : 413;
  statusCase(operation, tooLarge, "refuses a body above 64 KiB", async () => {
    const body = { ...(valid().body as object), description: "x".repeat(70_000) };
    const answer = await call(operation, { ...valid(), body });
    expect([answer.status, answer.body.error.code]).toEqual([
      tooLarge,
      tooLarge === 413 ? "body_too_large" : expect.any(String),
    ]);
  });

  statusCase(operation, 422, "refuses a body without its required fields, and names one", async () => {
    const body = faultyBody[operation as keyof typeof faultyBody] ?? {};
    const answer = await call(operation, { ...valid(), body });
    expect([answer.status, answer.body.error.code]).toEqual([422, "invalid_fields"]);
    expect(answer.body.error.field).toBeTypeOf("string");
  });

  it("refuses an unknown property and names it", async () => {
    const body = { ...(valid().body as object), surprise: 1 };
    const answer = await call(operation, { ...valid(), body });
    expect([answer.status, answer.body.error.field]).toEqual([422, "surprise"]);
  });

  it("refuses each required field when it is missing, null or of a wrong type, and names it", async () => {
    const body = valid().body as Record<string, unknown>;
    for (const field of Object.keys(body)) {
      const optional = optionalFields.has(`${operation} ${field}`);
      const isNullable = operation === "POST /fees/payout-transactions" && field === "payout";
      const wrong = hasOptionalFieldsAlone
        ? [true, 7, []]
        : [
            ...(isNullable ? [] : [null]),
            typeof body[field] === "boolean" ? 1 : true,
            // For an object, the error names the missing member.
            ...(["rule", "subject"].includes(field) ? [] : [{}]),
            typeof body[field] === "string" ? 7 : "7",
            ...(optional ? [] : [undefined]),
          ];
      for (const value of wrong) {
        const answer = await call(operation, { ...valid(), body: { ...body, [field]: value } });
        expect([answer.status, answer.body.error.code, answer.body.error.field], `${field}: ${value}`).toEqual([
          422,
          "invalid_fields",
          field,
        ]);
      }
    }
  });

  it("survives numbers, depths and texts at the edges of JSON", async () => {
    const body = JSON.stringify(valid().body).slice(0, -1);
    const deep = "[".repeat(5_000) + "]".repeat(5_000);
    for (const tail of [
      ',"x":1e400}',
      ',"x":-0}',
      `,"x":${deep}}`,
      ',"x":"\\ud800"}',
      ',"x":"\\u0000"}',
      ',"wallet":1,"wallet":2}',
    ]) {
      const answer = await call(operation, { ...valid(), body: undefined, rawBody: body + tail });
      expect([400, 422], tail.slice(0, 20)).toContain(answer.status);
    }
    const marked = await call(operation, { ...valid(), body: undefined, rawBody: `\ufeff${body}}` });
    expect(marked.status).toBeLessThan(500);
  });
});
