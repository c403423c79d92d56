import type { Config } from "@slipway/server/config";
import { gasSettings, type OpenGasStack } from "./startGasStack.ts";
import { type MainProcess, type Preload, startMain } from "./startMain.ts";
import { type Account, type Answer, withoutLimits } from "./startTestStack.ts";

/** The server as a separate process that tests kill. */
export type ServerProcess = MainProcess & {
  /** Calls an endpoint; rejects if the process dies meanwhile. */
  call(method: "GET" | "POST", path: string, body?: unknown, as?: Account): Promise<Answer>;
};

/** Additional settings, which may use the site's own URL. */
type Environment = Record<string, string> | ((siteUrl: string) => Record<string, string>);

/** Returns the settings of a process with api and worker over a stack's chain and database, without limits of requests. */
export const getProcessSettings = (config: Config): Record<string, string> => ({
  ROLES: "api,worker",
  DATABASE_URL: config.DATABASE_URL,
  RPC_URL: config.RPC_URL.join(","),
  MANIFEST_PATH: config.MANIFEST_PATH!,
  MANIFEST_SHA256: config.MANIFEST_SHA256!,
  ...withoutLimits,
});

/** Starts api and worker over the stack's chain and database; resolves when they are ready. */
export async function startServerProcess(
  gas: OpenGasStack,
  environment: Environment = {},
  preload?: Preload,
): Promise<ServerProcess> {
  const { config } = gas.server.deps;
  const settings = (siteUrl: string) => ({
    ...gasSettings,
    ...getProcessSettings(config),
    ...(typeof environment === "function" ? environment(siteUrl) : environment),
  });
  const started = await startMain(settings, preload);
  return {
    ...started,
    call: async (method, path, body, as = gas.stack.account) => {
      const url = path.startsWith("/api/") ? path : `/api/v1/launchpad${path}`;
      const response = await fetch(`${started.siteUrl}${url}`, {
        method,
        headers: {
          authorization: `Bearer ${as.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}
