import { afterAll } from "vitest";
import { closeOpenApps } from "./openApps.ts";

// The timers of an open app keep it in memory after its tests: a worker kept 500 apps, with 2 GB.
afterAll(closeOpenApps);
