import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { onTestFinished } from "vitest";

/** Creates a folder for one test, removed when the test has finished. */
export function createTestFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}
