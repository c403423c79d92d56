import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/conformance/call.ts";
import { type Api, startApi } from "../support/conformance/startApi.ts";
import { caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

const { inside } = target;
const observed = new Set<string>();
const limited = [...caller.api.operations.values()].filter(({ answers }) => answers.has(429)).map(({ name }) => name);

describe.skipIf(inside === null)("with the smallest limits", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi(
      {
        DATABASE_URL: inside!.databaseUrl,
        RPC_URL: target.rpcUrl!,
        MANIFEST_PATH: inside!.manifestPath,
        MANIFEST_SHA256: inside!.manifestSha256,
        READ_LIMIT_PER_SECOND: "1",
        READ_LIMIT_BURST: "1",
        WRITE_LIMIT_PER_SECOND: "1",
        WRITE_LIMIT_BURST: "1",
        UPLOAD_LIMIT_PER_SECOND: "1",
        UPLOAD_LIMIT_BURST: "1",
        RATE_LIMIT_STORE_TIMEOUT_MS: "30000",
      },
      target.apiKey,
      caller.api,
    );
  });
  afterAll(() => api?.stop());

  /** Sends requests until one is rejected: one more is allowed each second. */
  const untilRefused = async (operation: string): Promise<Answer> => {
    for (let attempt = 0; attempt < 50; attempt++) {
      const answer = await api.call(operation, { ...validCalls[operation]!(), wants429: true });
      if (answer.status === 429) return answer;
    }
    throw new Error(`${operation} was never refused`);
  };

  for (const operation of limited) {
    statusCase(
      operation,
      429,
      "is refused above the limit, with when to come back and what the policy is",
      async () => {
        const { headers, body } = await untilRefused(operation);
        expect(body.error.code).toBe("rate_limited");
        expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        expect(headers.get("ratelimit-policy")).toMatch(/^"[a-z]+";q=\d+;w=\d+$/);
        expect(headers.get("ratelimit")).toMatch(/^"[a-z]+";r=0;t=\d+$/);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("access-control-allow-origin")).toBe("*");
        observed.add(`${operation} 429`);
      },
      { observed },
    );
  }

  it("are those of every operation but an operator's", () => {
    const all = [...caller.api.operations.keys()];
    expect(all.filter((name) => !limited.includes(name)).sort()).toEqual(["GET /healthz", "GET /readyz"]);
  });
});
