import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Returns a string that identifies one run of one process: the system may reuse a pid, but not with the same start
 * time.
 *
 * @returns null when no such process runs; a zombie counts as ended
 */
export function processIdentity(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === "linux") return linuxIdentity(pid);
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return started === "" ? null : `${pid} ${started}`;
  } catch {
    return null;
  }
}

function linuxIdentity(pid: number): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    return `${pid} ${fields[19]} ${boot}`;
  } catch {
    return null;
  }
}

/**
 * Returns the command line of a running process, or null. It distinguishes an orphan of a stack from an unrelated
 * process.
 */
export function processCommandLine(pid: number): string | null {
  try {
    if (process.platform === "linux") {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() || null;
    }
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}

/** Waits until the process has ended. @returns false when it still runs after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const identity = processIdentity(pid);
  if (identity === null) return true;
  const deadline = Date.now() + timeoutMs;
  while (processIdentity(pid) === identity) {
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
