import { afterAll } from "vitest";
import { closeOpenApps } from "./openApps.ts";

// An app has timers, which keep it and all of its memory after its tests: a worker ran 500 of them, with 2 GB.
afterAll(closeOpenApps);
