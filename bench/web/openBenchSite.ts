import { cpus, loadavg } from "node:os";
import { type OpenSite, openSite } from "../../tests/support/browser/openSite.ts";

/** Opens the built site on a local stack with the demo tokens, as `npm start` serves it, without the demo trader. */
export async function openBenchSite(options: Parameters<typeof openSite>[0] = {}): Promise<OpenSite> {
  return await openSite({ ...options, environment: { NODE_ENV: "production", ...options.environment } });
}

/** Returns the machine conditions that affect a figure. */
export const describeMachine = () =>
  `${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`;
