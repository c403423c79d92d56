import type { TestProject } from "vitest/node";
import { prepareTarget } from "./prepareTarget.ts";

/** Finds or starts the service of this run and provides it to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { target, stop } = await prepareTarget(process.env);
  project.provide("fuzzTarget", target);
  return stop;
}
