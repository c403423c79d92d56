import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { outsideFolder } from "../postgres/postgresProgram.ts";
import { StackError } from "./stackError.ts";

/** The checkout that this file belongs to. */
export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** Everything that a local stack keeps, in one folder. */
export type StackFolder = {
  dir: string;
  lock: string;
  devFile: string;
  manifest: string;
  apiKey: string;
  authSecret: string;
  ports: string;
  serverLog: string;
  chainState: string;
  postgresData: string;
  /** Written when contracts are deployed and saved: before it, a folder is a start that did not finish. */
  setupDone: string;
  /** Marks the folder as a stack's own. */
  marker: string;
};

/** The folder of `npm start`: `.slipway` in this checkout, or what SLIPWAY_DIR names. */
export const defaultStackDir = resolve(process.env.SLIPWAY_DIR ?? join(repositoryRoot, ".slipway"));

/** Names the files of a stack's folder. Creates nothing. */
export function stackFolder(dir: string): StackFolder {
  const base = resolve(dir);
  return {
    dir: base,
    lock: join(base, "lock.json"),
    devFile: join(base, "dev.json"),
    manifest: join(base, "manifest.json"),
    apiKey: join(base, "api-key.json"),
    authSecret: join(base, "auth-secret.txt"),
    ports: join(base, "ports.json"),
    serverLog: join(base, "server.log"),
    chainState: join(base, "chain.json"),
    postgresData: join(base, "postgres"),
    setupDone: join(base, "setup.json"),
    marker: join(base, "README.txt"),
  };
}

/** Says to whoever finds the folder what it is, and to `reset` that it may be deleted. */
const markerText = "Local data of Slipway's development stack (npm start). To drop them: npm run reset\n";

/** True for an empty folder and for one that a stack has made; false where somebody else's files are. */
function isOurs(folder: StackFolder): boolean {
  if (basename(folder.dir) === ".slipway") return true;
  return existsSync(folder.marker) || existsSync(folder.setupDone) || readdirSync(folder.dir).length === 0;
}

function refuseForeignFolder(folder: StackFolder): void {
  if (!existsSync(folder.dir) || isOurs(folder)) return;
  throw new StackError(
    `${folder.dir} holds files that no Slipway stack has made.`,
    "Move them away, or name another folder in SLIPWAY_DIR.",
  );
}

/**
 * Creates the folder for its owner only, since it holds passwords.
 *
 * @throws StackError when it cannot be written, or holds somebody else's files
 */
export function createStackFolder(folder: StackFolder): void {
  try {
    if (existsSync(folder.dir) && !statSync(folder.dir).isDirectory()) throw new Error("it is not a folder");
    mkdirSync(folder.dir, { recursive: true, mode: 0o700 });
    refuseForeignFolder(folder);
    writeFileSync(folder.marker, markerText);
  } catch (error) {
    if (error instanceof StackError) throw error;
    throw new StackError(
      `The state folder ${folder.dir} cannot be used: ${(error as Error).message}`,
      "Make the checkout writable for this user, or remove what is in the way.",
      { cause: error },
    );
  }
}

/**
 * Judges what an earlier run left. The chain and the database belong together: a database without its chain would
 * show launches that exist nowhere.
 *
 * @returns `new` (empty, or a first start that did not finish: cleared here), `complete`, or `without-database`
 *   (the index is rebuilt from the chain; drafts and accounts are gone)
 * @throws StackError when a part is missing that cannot be made again
 */
export function examineStackFolder(folder: StackFolder): "new" | "unfinished" | "complete" | "without-database" {
  if (!existsSync(folder.setupDone)) {
    const parts = stateParts(folder).filter((path) => existsSync(path));
    for (const part of parts) rmSync(part, { recursive: true, force: true });
    return parts.length === 0 ? "new" : "unfinished";
  }
  const chainHere = existsSync(folder.chainState) || existsSync(join(folder.dir, "chain.previous.json"));
  const missing = [
    ...(chainHere ? [] : [`the chain's state (${folder.chainState})`]),
    ...(existsSync(folder.manifest) ? [] : [`the manifest of its contracts (${folder.manifest})`]),
  ];
  if (missing.length > 0) {
    throw new StackError(
      `The state folder is incomplete: ${missing.join(" and ")} is missing.`,
      "Put it back, or drop the local data and begin anew: npm run reset",
    );
  }
  const databaseHere = existsSync(folder.postgresData) || existsSync(join(outsideFolder(folder.dir), "data"));
  return databaseHere ? "complete" : "without-database";
}

function stateParts(folder: StackFolder): string[] {
  return [
    folder.chainState,
    join(folder.dir, "chain.previous.json"),
    folder.manifest,
    folder.postgresData,
    join(folder.dir, "postgres.partial"),
    join(folder.dir, "postgres.password"),
    folder.apiKey,
    folder.authSecret,
    outsideFolder(folder.dir),
  ];
}

/**
 * Deletes the folder and what a stack keeps outside of it.
 *
 * @returns what was deleted, with sizes in bytes; empty when there was nothing
 * @throws StackError when somebody else's files are in it
 */
export function removeStackFolder(folder: StackFolder): { path: string; bytes: number }[] {
  refuseForeignFolder(folder);
  const removed = [folder.dir, outsideFolder(folder.dir)]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, bytes: sizeOf(path) }));
  for (const { path } of removed) rmSync(path, { recursive: true, force: true });
  return removed;
}

function sizeOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((total, name) => {
    try {
      return total + sizeOf(join(path, name));
    } catch {
      return total;
    }
  }, 0);
}
