import { describe, expect } from "vitest";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { unknownToken } from "../support/conformance/validCalls.ts";

const operation = "GET /stream";

/** Opens the stream, reads until the text contains `wanted`, and closes the stream. */
async function readUntil(query: string, wanted: string): Promise<{ status: number; headers: Headers; text: string }> {
  const gone = new AbortController();
  const response = await fetch(`${target.baseUrl}/stream${query}`, { signal: gone.signal });
  caller.observed.add(`${operation} ${response.status}`);
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes(wanted)) break;
    }
  } finally {
    gone.abort();
  }
  return { status: response.status, headers: response.headers, text };
}

describe(operation, () => {
  statusCase(operation, 200, "is open to everybody, says that it is ready, and may not be cached", async () => {
    const { status, headers, text } = await readUntil("", "event: ready");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("set-cookie")).toBeNull();
    expect(text).toContain("event: ready");
  });

  statusCase(
    operation,
    400,
    "refuses a bad token, interval and Last-Event-ID, and a credential in the URL",
    async () => {
      for (const [query, code] of [
        [{ token: "abc" }, "invalid_query"],
        [{ interval: "2m" }, "invalid_query"],
        [{ api_key: "x" }, "credentials_in_url"],
      ] as const) {
        const answer = await call(operation, { query: { ...query } });
        expect([answer.status, answer.body.error.code]).toEqual([400, code]);
      }
      const stray = await call(operation, { headers: { "last-event-id": "abc" } });
      expect([stray.status, stray.body.error.code, stray.body.error.field]).toEqual([
        400,
        "invalid_request",
        "Last-Event-ID",
      ]);
      const gone = await call(operation, { headers: { "last-event-id": "999999999999" } });
      expect([gone.status, gone.body.error.code]).toEqual([400, "cursor_expired"]);
    },
  );

  statusCase(operation, 404, "says that no launch has the token", async () => {
    const { status, body } = await call(operation, { query: { token: unknownToken } });
    expect([status, body.error.code, body.error.field]).toEqual([404, "token_not_indexed", "token"]);
  });
});
