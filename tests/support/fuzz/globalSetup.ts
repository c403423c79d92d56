import type { TestProject } from "vitest/node";
import { useMemoryFolder } from "../memoryFolder.ts";
import { prepareTarget } from "./prepareTarget.ts";

/** Finds or starts the service of this run and provides it to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  useMemoryFolder();
  const { target, stop } = await prepareTarget(process.env);
  project.provide("fuzzTarget", target);
  return stop;
}
