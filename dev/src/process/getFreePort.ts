import { randomInt } from "node:crypto";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import getPort from "get-port";
import { repositoryRoot } from "../stack/stackFolder.ts";

/**
 * The range of the ports. Browsers block some lower ports. Systems assign higher ports to outgoing connections and to
 * programs that listen on port 0, also between the choice of a port and the start of its program.
 */
const lowest = 20_000;
const highest = 32_767;

/** One empty file for each port that a process of this checkout got. */
const reservations = join(repositoryRoot, ".cache", "ports");
/** Longer than a program needs to listen on its port. */
const reservedMs = 120_000;

function* drawPorts() {
  for (let draws = 0; draws < 100; draws++) yield randomInt(lowest, highest + 1);
}

/**
 * Returns a port of 127.0.0.1 on which no program listens. No process of this checkout gets the port again within two
 * minutes, except a preferred port.
 *
 * @param preferred - Ports to return instead, in their order, if one is free.
 */
export async function getFreePort(preferred: readonly number[] = []): Promise<number> {
  for (;;) {
    const port = await getPort({ host: "127.0.0.1", port: [...preferred, ...drawPorts()] });
    if (preferred.includes(port) || reservePort(port)) return port;
  }
}

/** Reserves a port. Returns false if a process has reserved it less than two minutes ago. */
function reservePort(port: number): boolean {
  const path = join(reservations, String(port));
  try {
    mkdirSync(reservations, { recursive: true });
    const reserved = statSync(path, { throwIfNoEntry: false });
    if (reserved && Date.now() - reserved.mtimeMs > reservedMs) rmSync(path, { force: true });
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch (error) {
    // In a checkout that is read-only, ports are not reserved.
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}
