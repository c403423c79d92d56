import type { Deps } from "../deps.ts";
import { createUntrustedFetch } from "../providers/untrustedFetch/untrustedFetch.ts";
import { fetchTokenManifests } from "./fetchTokenManifests.ts";
import type { Job } from "./repeat.ts";
import { processTopUps } from "./processTopUps.ts";

/** Starts everything that the worker does. A new job is one line here. */
export function startJobs(deps: Deps): Job {
  const fetchOutside = createUntrustedFetch({ clock: deps.clock });
  const jobs = [processTopUps(deps), fetchTokenManifests(deps, fetchOutside)];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
