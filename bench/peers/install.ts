/**
 * npm run bench -- peers: installs the peers that `npm run bench -- index` then measures, each into its own folder in
 * .cache/bench-peers, from npm's configured registry. The peers do not become dependencies of Slipway.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installedPeers, peers } from "./peers.ts";

const app = fileURLToPath(new URL("ponder", import.meta.url));
const installed = installedPeers();

for (const { name, version, folder } of peers) {
  mkdirSync(folder, { recursive: true });
  cpSync(app, folder, { recursive: true });
  copyFileSync(`${app}/config.${version}.ts`, `${folder}/ponder.config.ts`);
  if (installed.some((peer) => peer.folder === folder)) {
    console.log(`${name} exists`);
    continue;
  }
  const description = {
    name: "bench-ponder",
    private: true,
    type: "module",
    dependencies: { ponder: version, hono: "^4.13.19", viem: "^2.48.0", pg: "^8.23.1", typescript: "^5.9.3" },
    // Ponder 0.17.7 requires a version of this package that some registries lack; this version has all that Ponder
    // imports.
    ...(version === "0.17.7" ? { overrides: { "@ponder/utils": "0.2.18" } } : {}),
  };
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(description, null, 2)}\n`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--workspaces=false"], { cwd: folder, stdio: "inherit" });
  // Written last, so that an aborted installation does not count.
  writeFileSync(`${folder}/installed`, `${new Date().toISOString()}\n`);
  console.log(`${name} is installed in ${folder}`);
}
