import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { processCommandLine } from "./processIdentity.ts";

/** A process that listens on a port. */
export type Listener = { pid: number; program: string };

/**
 * Finds the process that listens on a TCP port, at any address of this machine. The system may not reveal processes of
 * other users.
 *
 * @returns null when the process is unknown
 */
export function findListener(port: number): Listener | null {
  try {
    return process.platform === "linux" ? findOnLinux(port) : findWithLsof(port);
  } catch {
    return null;
  }
}

/** The state of a listening socket in /proc/net/tcp. */
const listening = "0A";

function findOnLinux(port: number): Listener | null {
  const sockets = new Set(["tcp", "tcp6"].flatMap((table) => listListeningSockets(`/proc/net/${table}`, port)));
  if (sockets.size === 0) return null;
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || !holdsSocket(pid, sockets)) continue;
    // Only the name, because arguments may contain secrets.
    const command = processCommandLine(pid)?.split(" ")[0] ?? "";
    return { pid, program: basename(command) };
  }
  return null;
}

/** Returns the descriptor link targets of the sockets that listen on the port. */
function listListeningSockets(path: string, port: number): string[] {
  const lines = readFileSync(path, "utf8").trim().split("\n").slice(1);
  return lines.flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const isMatch = fields[3] === listening && Number.parseInt(fields[1]?.split(":")[1] ?? "", 16) === port;
    return isMatch ? [`socket:[${fields[9]}]`] : [];
  });
}

function holdsSocket(pid: number, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => {
      try {
        return sockets.has(readlinkSync(`${folder}/${fd}`));
      } catch {
        // Closed in the meantime.
        return false;
      }
    });
  } catch {
    // A process of another user, or one that has ended.
    return false;
  }
}

function findWithLsof(port: number): Listener | null {
  const args = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"];
  const output = execFileSync("lsof", args, { encoding: "utf8", timeout: 5_000, stdio: ["ignore", "pipe", "ignore"] });
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  const program = /^c(.+)$/m.exec(output)?.[1];
  return pid === undefined ? null : { pid: Number(pid), program: program ?? "" };
}
