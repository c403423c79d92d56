import type { AddressInfo } from "node:net";
import type { Database } from "@slipway/server/db/database";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { type Answer, type Call, type Caller, createCaller } from "../support/conformance/call.ts";
import { createCheckAnswer } from "../support/conformance/checkAnswer.ts";
import { type Api, startApi } from "../support/conformance/startApi.ts";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";
import { readAnswers, sendRaw } from "../support/security/rawHttp.ts";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";

const operations = [...caller.api.operations.values()];
const { inside } = target;
const settings = () => ({
  DATABASE_URL: inside!.databaseUrl,
  RPC_URL: target.rpcUrl!,
  MANIFEST_PATH: inside!.manifestPath,
  MANIFEST_SHA256: inside!.manifestSha256,
});

/**
 * A call without a credential and without a file: these statuses depend on neither, and a caller that is still sending
 * a file when the connection ends may not read the answer.
 */
function anonymous(operation: string): Call {
  const { file: _, ...valid } = validCalls[operation]!();
  return { ...valid, key: null };
}

function expectError({ body, headers }: Pick<Answer, "body" | "headers">, code: string, retryable: boolean): void {
  expect(body.error).toMatchObject({ code, retryable, request_id: headers.get("x-request-id") });
  expect(headers.get("cache-control")).toBe("no-store");
}

describe("headers above 16 KiB", () => {
  for (const { name } of operations) {
    statusCase(name, 431, "are refused", async () => {
      const valid = anonymous(name);
      const answer = await call(name, { ...valid, headers: { ...valid.headers, "x-long": "v".repeat(20_000) } });
      expectError(answer, "headers_too_large", false);
    });
  }
});

describe.skipIf(inside === null)("a request that does not end", () => {
  const observed = new Set<string>();
  const check = createCheckAnswer(caller.api);
  const answers = new Map<string, Promise<string>>();
  let api: Api;
  beforeAll(async () => {
    const short = { HEADERS_TIMEOUT_MS: "100", REQUEST_TIMEOUT_MS: "100" };
    api = await startApi({ ...settings(), ...short }, target.apiKey, caller.api);
    const port = Number(new URL(api.siteUrl).port);
    for (const { name, method, path, site } of operations) {
      const url = site ? path : `${new URL(target.baseUrl).pathname}${path}`;
      answers.set(name, sendRaw(port, `${method} ${url} HTTP/1.1\r\nHost: slow.example\r\n`));
    }
  });
  afterAll(() => api?.stop());

  for (const operation of operations) {
    const prove = async () => {
      const [answer] = readAnswers(await answers.get(operation.name)!);
      const headers = new Headers(answer!.headers);
      const body = JSON.parse(answer!.body);
      expectError({ body, headers }, "request_timeout", true);
      expect(check(operation, answer!.status, body, headers)).toBeNull();
      observed.add(`${operation.name} ${answer!.status}`);
    };
    statusCase(operation.name, 408, "is refused when its time is over", prove, { observed });
  }
});

describe.skipIf(inside === null)("a process under too much load", () => {
  let api: Api;
  const observed = new Set<string>();
  beforeAll(async () => {
    // No heap is that small; the first sample is two seconds after the start.
    api = await startApi({ ...settings(), MAX_HEAP_BYTES: "1" }, target.apiKey, caller.api);
    await vi.waitFor(async () => expect((await fetch(`${api.siteUrl}/nothing`)).status).toBe(503), 60_000);
  });
  afterAll(() => api?.stop());

  for (const { name, path } of operations) {
    // Operational endpoints are still served.
    if (["/healthz", "/readyz", "/metrics"].includes(path)) continue;
    const prove = async () => {
      const answer = await api.call(name, anonymous(name));
      observed.add(`${name} ${answer.status}`);
      expectError(answer, "overloaded", true);
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    };
    statusCase(name, 503, "says when to come back", prove, { observed });
  }
});

describe("a fault that the service does not expect", () => {
  let faulty: ReadApp;
  let broken: Caller;
  const observed = new Set<string>();
  beforeAll(async () => {
    faulty = await createReadApp({ api: {}, read: {} } as unknown as Database);
    const fail = () => {
      throw new TypeError("a fault of this test");
    };
    Object.assign(faulty.limits, { consume: fail, requireRemaining: fail });
    Object.assign(faulty.deps.chain, { manifestState: fail });
    Object.assign(faulty.deps.metrics.registry, { metrics: fail });
    await faulty.app.listen({ host: "127.0.0.1", port: 0 });
    const siteUrl = `http://127.0.0.1:${(faulty.app.server.address() as AddressInfo).port}`;
    broken = await createCaller({ siteUrl, baseUrl: `${siteUrl}/api/v1/launchpad`, apiKey: target.apiKey }, caller.api);
  });
  afterAll(() => faulty?.app.close());

  for (const { name } of operations) {
    // The answer of this operation is a constant.
    if (name === "GET /healthz") continue;
    const prove = async () => {
      const answer = await broken.call(name, anonymous(name));
      observed.add(`${name} ${answer.status}`);
      expectError(answer, "internal_error", true);
      expect(JSON.stringify(answer.body)).not.toContain("a fault of this test");
    };
    statusCase(name, 500, "is a coded error that shows nothing of it", prove, { observed });
  }
});
