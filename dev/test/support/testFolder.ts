import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../src/stack/temporaryFolder.ts";

/** A folder of the test's own, removed when it has finished. */
export function testFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}
