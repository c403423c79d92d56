import { readFileSync } from "node:fs";
import { DeployError } from "./deployError.ts";

const folder = new URL("../../../contracts/", import.meta.url);
const known = new Map<string, unknown>();

/**
 * A JSON file of the contracts folder, read once.
 *
 * @param path - Below contracts/, without `.json`.
 * @throws DeployError `artifact_missing`.
 */
export function readContractJson<T>(path: string): T {
  const cached = known.get(path);
  if (cached !== undefined) return cached as T;
  let text: string;
  try {
    text = readFileSync(new URL(`${path}.json`, folder), "utf8");
  } catch (cause) {
    throw new DeployError("artifact_missing", `contracts/${path}.json is not there`, { cause });
  }
  const content = JSON.parse(text) as T;
  known.set(path, content);
  return content;
}
