import type { Deps } from "../deps.ts";
import { createFetchOutside } from "../providers/untrustedFetch/untrustedFetch.ts";
import { startTokenManifests } from "./fetchTokenManifests.ts";
import type { Job } from "./repeat.ts";
import { startTopUps } from "./processTopUps.ts";

/** Starts everything that the worker does. A new job is one line here. */
export function startJobs(deps: Deps): Job {
  const fetchOutside = createFetchOutside({ clock: deps.clock });
  const jobs = [startTopUps(deps), startTokenManifests(deps, fetchOutside)];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
