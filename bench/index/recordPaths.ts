import { fileURLToPath } from "node:url";

/** Where a recorded chain of this size lies. In the name is the edition of the contracts that it was made with. */
export function recordPaths(blocks: number, launches: number, mean: number) {
  const folder = fileURLToPath(
    new URL(`../../.cache/bench-index/edition-2-${blocks}-${launches}-${mean}`, import.meta.url),
  );
  return {
    folder,
    record: `${folder}/chain.ndjson.gz`,
    manifest: `${folder}/manifest.json`,
    facts: `${folder}/facts.json`,
  };
}
