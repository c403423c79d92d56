import { join } from "node:path";
import { requireFreePort } from "../process/requireFreePort.ts";
import { spawnChild } from "../process/spawnChild.ts";
import { repositoryRoot, type StackFolder } from "../stack/stackFolder.ts";

/** The port; `apps/web/vite.config.ts` reads the same setting. */
const port = Number(process.env.WEB_PORT ?? 5173);

/** The origin of the site with hot reload. It is the service's `SITE_URL`, so that people can sign in. */
export const siteServerOrigin = `http://localhost:${port}`;

/**
 * Serves the sources of the site with hot reload, and passes requests of the API on to the service.
 *
 * @param serviceUrl - The service's origin.
 * @returns a function that stops it
 * @throws StackError when the port is taken
 */
export async function startSiteServer(folder: StackFolder, serviceUrl: string): Promise<() => Promise<void>> {
  await requireFreePort("WEB_PORT", port, "localhost");
  const child = await spawnChild({
    dir: folder.dir,
    name: "site",
    endSignal: "SIGTERM",
    endOrder: 0,
    command: process.execPath,
    args: [
      join(repositoryRoot, "node_modules/vite/bin/vite.js"),
      "--config",
      join(repositoryRoot, "apps/web/vite.config.ts"),
      "--clearScreen",
      "false",
    ],
    cwd: repositoryRoot,
    env: { SITE: serviceUrl },
    logPath: join(folder.dir, "site.log"),
  });
  return child.stop;
}
