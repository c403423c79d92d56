import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The peers that Slipway is compared with. `latest` of Ponder is 1.0.0, whose code is older than the code of 0.17.7:
 * both are measured, and the faster one counts.
 */
export const peers = ["1.0.0", "0.17.7"].map((version) => ({
  name: `ponder ${version}`,
  version,
  folder: fileURLToPath(new URL(`../../.cache/bench-peers/ponder-${version}`, import.meta.url)),
}));

/** Returns the peers that `npm run bench -- peers` has installed. */
export function installedPeers(): typeof peers {
  return peers.filter(({ folder }) => existsSync(`${folder}/installed`));
}
