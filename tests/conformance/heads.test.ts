import { describe, expect, it } from "vitest";
import { guardedRoutes, openRoutes, signInRoutes } from "../support/conformance/routeTables.ts";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

const operations = [...caller.api.operations.values()];
const getBase = (site: boolean) => (site ? target.siteUrl : target.baseUrl);

describe.each([...guardedRoutes, ...openRoutes, ...signInRoutes])("%s", (operation) => {
  // Below /gas every rejected body is 422 (docs/api.md).
  const status = operation.startsWith("POST /gas/") ? 422 : 415;

  statusCase(operation, status, "refuses a coded body before it reads it, also where it needs none", async () => {
    const { headers, ...valid } = validCalls[operation]!();
    const answer = await call(operation, { ...valid, headers: { ...headers, "content-encoding": "gzip" } });
    expect([answer.status, answer.body.error.code]).toEqual([status, "unsupported_encoding"]);
    expect(answer.headers.get("accept-encoding")).toBe("identity");
  });
});

describe("every path", () => {
  const fill = ({ site, path }: (typeof operations)[number], value: string) =>
    `${getBase(site)}${path.replace(/\{\w+\}/g, value)}`;
  /** The operations of each path: `/alerts/confirm` also matches `/alerts/{id}`. */
  const byPath = new Map(
    [...new Set(operations.map((operation) => fill(operation, "x")))].map((url) => [
      url,
      operations.filter((operation) => new RegExp(`^${fill(operation, "[^/]+")}$`).test(url)),
    ]),
  );

  it("answers OPTIONS with its methods, and any other method with 405 and the same", async () => {
    for (const [url, own] of byPath) {
      const methods = [...new Set(own.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))];
      const wanted = [...methods, "OPTIONS"].sort();
      const options = await fetch(url, { method: "OPTIONS" });
      expect([url, options.status, options.headers.get("allow")?.split(", ").sort()]).toEqual([url, 204, wanted]);
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
        if (methods.includes(method)) continue;
        const refused = await fetch(url, { method });
        expect([method, url, refused.status]).toEqual([method, url, 405]);
        expect(refused.headers.get("allow")?.split(", ").sort()).toEqual(wanted);
        if (method === "HEAD") continue;
        const { error } = (await refused.json()) as { error: { code: string; request_id: string } };
        expect(error).toMatchObject({ code: "method_not_allowed", request_id: refused.headers.get("x-request-id") });
      }
    }
  });

  it("answers HEAD as it answers GET, without the body", async () => {
    const open: readonly string[] = openRoutes;
    for (const { name, site, path } of operations.filter((one) => open.includes(one.name))) {
      const { path: parts = {}, query = {} } = validCalls[name]!();
      const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => parts[part]!);
      const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
      const url = `${getBase(site)}${filled}?${search}`;
      const [head, get] = [await fetch(url, { method: "HEAD" }), await fetch(url)];
      const describeAnswer = ({ status, headers }: Response) => [
        name,
        status,
        ...["content-type", "cache-control"].map((header) => headers.get(header)),
      ];
      expect(describeAnswer(head)).toEqual(describeAnswer(get));
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      await get.body?.cancel();
    }
  });
});
