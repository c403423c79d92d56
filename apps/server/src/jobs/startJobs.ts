import type { Deps } from "../deps.ts";
import { createUntrustedFetch } from "../providers/untrustedFetch/untrustedFetch.ts";
import { fetchTokenManifests } from "./fetchTokenManifests.ts";
import type { Job } from "./repeat.ts";
import { processTopUps } from "./processTopUps.ts";

/** Starts the jobs of the worker. A new job is one entry here. */
export function startJobs(deps: Deps): Job {
  const untrustedFetch = createUntrustedFetch({ clock: deps.clock });
  const jobs = [processTopUps(deps), fetchTokenManifests(deps, untrustedFetch)];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
