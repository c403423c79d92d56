import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPackage } from "../../../tests/support/findProgram.ts";

const libraries = "/usr/lib";

/** Finds the form of libfaketime for programs with threads; installs Debian's package if it is missing. */
function requireLibrary(): string {
  const find = () =>
    readdirSync(libraries, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const folder = join(libraries, name, "faketime");
        try {
          return readdirSync(folder).map((file) => join(folder, file));
        } catch {
          return [];
        }
      })
      .find((path) => path.endsWith("/libfaketimeMT.so.1"));
  let path = find();
  if (path === undefined) {
    installPackage(["libfaketime"]);
    path = find();
  }
  if (path === undefined)
    throw new Error("libfaketime was not found: install it (Debian: apt-get install libfaketime)");
  return path;
}

/** The file with the offset of a process's clock, such as `+300`, beside its log. */
export const toClockFile = (logPath: string): string => logPath.replace(/\.log$/, ".clock");

/**
 * Creates the variables of a process whose clock follows the offset in `toClockFile`. As on a machine whose clock steps,
 * only the time of day changes: timers and durations use the monotonic clock.
 */
export function createClockEnvironment(logPath: string): Record<string, string> {
  const file = toClockFile(logPath);
  writeFileSync(file, "+0");
  return {
    LD_PRELOAD: requireLibrary(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}
