import { parseConfig } from "@slipway/server/config";
import { startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import pino from "pino";
import { type Caller, createCaller } from "./call.ts";
import type { OpenApi } from "./openApi.ts";

export type Api = Caller & { siteUrl: string; stop: () => Promise<void> };

/**
 * Starts the real server in this process, with only its api role and with these settings.
 *
 * @param known - The document, if the server cannot serve it.
 */
export async function startApi(settings: Record<string, string>, apiKey: string, known?: OpenApi): Promise<Api> {
  const config = parseConfig({ ROLES: "api", PORT: "0", HOST: "127.0.0.1", ...settings });
  const server = await startServer({ config, log: pino({ level: "silent" }), clock: systemClock });
  const siteUrl = server.url as string;
  const caller = await createCaller({ siteUrl, baseUrl: `${siteUrl}/api/v1/launchpad`, apiKey }, known);
  return { ...caller, siteUrl, stop: server.stop };
}
