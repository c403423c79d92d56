import { onTestFinished } from "vitest";
import { openTestDatabase } from "../database/openTestDatabase.ts";

/** Opens a migrated database without data, which is dropped at the end of the test. @returns its URL */
export async function openIndexDatabase(): Promise<string> {
  const { url, drop } = await openTestDatabase();
  onTestFinished(drop);
  return url;
}
