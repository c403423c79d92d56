import { createFaults } from "./failures/faults.ts";
import { localHosts } from "./failures/hosts.ts";
import { runFaults } from "./failures/runFaults.ts";

export const description = "kills each part of a deployment in turn under load, with Patroni, etcd and HAProxy";

/** `npm run drill -- failures [--faults api,leader] [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  return await runFaults({
    options,
    signal,
    createHosts: async () => localHosts,
    createFaults: ({ database, service }) => createFaults(database, service),
  });
}
