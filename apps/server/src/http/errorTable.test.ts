import { type ErrorCode, errorTable } from "@slipway/protocol/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentPaths, joinDocuments } from "../../../../tests/support/conformance/openApi.ts";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import type { Route } from "../route.ts";
import { getRouteErrors } from "./registerRoute.ts";
import { createRoutes } from "./routes.ts";
import { getErrorStatus } from "./sendError.ts";

/** Codes that no route returns, each with the reason. */
const codesOutsideRoutes: Partial<Record<ErrorCode, string>> = {
  expectation_failed: "a request with an unknown expectation reaches no route",
  method_not_allowed: "methods that are not an operation",
  upgrade_required: "paths of WebSockets, which are not operations",
};

let database: ReadDatabase;
let read: ReadApp;
let routes: Route[];
let document: any;

beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
  routes = createRoutes(read.deps);
  const documents = documentPaths.map(async (path) => (await read.get(path)).json);
  document = joinDocuments(await Promise.all(documents));
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

describe("the error table", () => {
  it("has for each code a status, a retry flag, a fault and help", () => {
    for (const [code, row] of Object.entries(errorTable)) {
      expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(row.status).toBeGreaterThanOrEqual(400);
      expect(row.help).toMatch(/^[A-Z].*[.]$/);
      if (row.status >= 500 && code !== "manifest_missing") expect(row.retryable, code).toBe(true);
    }
  });

  it("has no code that no route declares, except those listed with a reason", () => {
    const answered = new Set(routes.flatMap((route) => getRouteErrors(route)));
    const unused = Object.keys(errorTable).filter((code) => !answered.has(code as ErrorCode));
    expect(unused.sort()).toEqual(Object.keys(codesOutsideRoutes).sort());
  });

  it("is documented completely, without other codes", () => {
    const documented = [...document.info.description.matchAll(/^- \*\*(\d{3})\*\* `([a-z0-9_]+)`/gm)].map(
      ([, status, code]) => `${code} ${status}`,
    );
    expect(documented.sort()).toEqual(
      Object.entries(errorTable)
        .map(([code, row]) => `${code} ${row.status}`)
        .sort(),
    );
    const codes: string[] = document.components.schemas.Error.properties.error.properties.code.enum;
    expect(new Set(codes)).toEqual(new Set(Object.keys(errorTable)));
  });
});

describe("each operation of the OpenAPI document", () => {
  it("declares exactly the statuses of its responses and of its error codes", () => {
    for (const route of routes) {
      const prefix = route.site ? "" : "/api/v1/launchpad";
      const path = `${prefix}${route.path}`.replace(/:(\w+)/g, "{$1}");
      const declared = Object.keys(document.paths[path][route.method.toLowerCase()].responses);
      const statuses = Object.keys(route.answers);
      const wanted = new Set([
        ...statuses,
        ...(route.cache === undefined ? [] : ["304"]),
        ...getRouteErrors(route).map((code) => String(getErrorStatus(route, code))),
        // The only success is a redirect; OpenAPI validators require a 2xx or a default.
        ...(statuses.every((status) => status.startsWith("30")) ? ["default"] : []),
      ]);
      expect(new Set(declared), path).toEqual(wanted);
    }
  });

  it("has a unique name", () => {
    const names = routes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
