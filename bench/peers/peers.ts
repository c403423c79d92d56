import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The peers that Slipway is measured against. `latest` of Ponder is 1.0.0, whose code is older than 0.17.7's: both are
 * measured, the faster counts.
 */
export const peers = ["1.0.0", "0.17.7"].map((version) => ({
  name: `ponder ${version}`,
  version,
  folder: fileURLToPath(new URL(`../../.cache/bench-peers/ponder-${version}`, import.meta.url)),
}));

/** Those that `npm run bench -- peers` has installed. */
export function installedPeers(): typeof peers {
  return peers.filter(({ folder }) => existsSync(`${folder}/installed`));
}
