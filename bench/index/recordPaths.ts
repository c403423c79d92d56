import { fileURLToPath } from "node:url";

/** The files of a recorded chain of this size. */
export function recordPaths(blocks: number, launches: number, mean: number) {
  const folder = fileURLToPath(
    new URL(`../../.cache/bench-index/chain-${blocks}-${launches}-${mean}`, import.meta.url),
  );
  return {
    folder,
    record: `${folder}/chain.ndjson.gz`,
    manifest: `${folder}/manifest.json`,
    facts: `${folder}/facts.json`,
  };
}
