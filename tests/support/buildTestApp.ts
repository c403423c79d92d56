import { createDeps, type Deps } from "@slipway/server/deps";
import { buildApp } from "@slipway/server/http/app";
import { createLimits, type Limits } from "@slipway/server/http/overload/limits";
import type { Runtime } from "@slipway/server/runtime";
import type { FastifyInstance } from "fastify";
import { addOpenApp } from "./openApps.ts";

export type TestApp = { app: FastifyInstance; deps: Deps; limits: Limits };

/**
 * Builds the complete HTTP server over a runtime, like `startServer`; `app.close()` ends all of it, and at the latest the
 * end of the test file. Not listening yet.
 */
export async function buildTestApp(runtime: Runtime): Promise<TestApp> {
  const deps = createDeps(runtime);
  const limits = createLimits(runtime);
  const app = await buildApp(deps, limits);
  app.addHook("onClose", () => limits.stop());
  addOpenApp(app);
  return { app, deps, limits };
}
