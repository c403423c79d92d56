import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { externalFolder } from "../postgres/postgresProgram.ts";
import { StackError } from "./stackError.ts";
import { readStackLockHolder } from "./stackLock.ts";

/** The root of the checkout that contains this file. */
export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** The folder of `npm start`: SLIPWAY_DIR, by default `.slipway` in this checkout. */
export const defaultStackDir = resolve(process.env.SLIPWAY_DIR ?? join(repositoryRoot, ".slipway"));

/** The paths of all files that a local stack stores, in one folder. */
export type StackFolder = ReturnType<typeof resolveStackFolder>;

/** Resolves the paths of a stack's folder. Creates nothing. */
export function resolveStackFolder(dir: string) {
  const base = resolve(dir);
  return {
    dir: base,
    lock: join(base, "lock.json"),
    devFile: join(base, "dev.json"),
    manifest: join(base, "manifest.json"),
    apiKey: join(base, "api-key.json"),
    authSecret: join(base, "auth-secret.txt"),
    alertSecret: join(base, "alert-secret.txt"),
    /** Messages that the stack's mail server received. */
    mails: join(base, "mails"),
    ports: join(base, "ports.json"),
    serverLog: join(base, "server.log"),
    chainState: join(base, "chain.json"),
    postgresData: join(base, "postgres"),
    /** The server's stored images. */
    data: join(base, "data"),
    /** Content of the stack's pinning node. */
    pinned: join(base, "pinned"),
    /** Written after contracts are deployed and saved: without this file, the first start did not finish. */
    setupDone: join(base, "setup.json"),
    /** Marks the folder as the folder of a stack. */
    marker: join(base, "README.txt"),
  };
}

/** The content of the marker, which permits `reset` to delete the folder. */
const markerText = "Local data of Slipway's development stack (npm start). To delete them: npm run reset\n";

/** Whether a folder is empty or was created by a stack; false if it contains other files. */
function isStackFolder(folder: StackFolder): boolean {
  if (basename(folder.dir) === ".slipway") return true;
  return existsSync(folder.marker) || existsSync(folder.setupDone) || readdirSync(folder.dir).length === 0;
}

function requireStackFolder(folder: StackFolder): void {
  if (!existsSync(folder.dir) || isStackFolder(folder)) return;
  throw new StackError(
    `${folder.dir} holds files that no Slipway stack has created.`,
    "Move them away, or name another folder in SLIPWAY_DIR.",
  );
}

/**
 * Creates the folder with access only for its owner, because it contains passwords.
 *
 * @throws StackError when the folder cannot be written, or contains files that no stack has created
 */
export function createStackFolder(folder: StackFolder): void {
  try {
    if (existsSync(folder.dir) && !statSync(folder.dir).isDirectory()) throw new Error("it is not a folder");
    mkdirSync(folder.dir, { recursive: true, mode: 0o700 });
    requireStackFolder(folder);
    writeFileSync(folder.marker, markerText);
  } catch (error) {
    if (error instanceof StackError) throw error;
    throw new StackError(
      `The state folder ${folder.dir} cannot be used: ${(error as Error).message}`,
      "Make the checkout writable for this user, or remove the obstacle.",
      { cause: error },
    );
  }
}

/**
 * Inspects the data of an earlier run. The chain and the database belong together: a database without its chain would
 * show launches that do not exist.
 *
 * @returns `new` (empty), `unfinished` (an unfinished first start, cleared here), `complete`, or `without-database`
 *   (the index is rebuilt from the chain; drafts and accounts are lost)
 * @throws StackError when a part is missing that cannot be recreated
 */
export function inspectStackFolder(folder: StackFolder): "new" | "unfinished" | "complete" | "without-database" {
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
      "Put it back, or delete the local data and start again: npm run reset",
    );
  }
  const databaseHere = existsSync(folder.postgresData) || existsSync(join(externalFolder(folder.dir), "data"));
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
    folder.alertSecret,
    externalFolder(folder.dir),
  ];
}

/**
 * Deletes the folder and the stack's data outside of it.
 *
 * @returns the deleted paths with sizes in bytes; empty if there was nothing
 * @throws StackError when the folder contains files that no stack has created
 */
export function removeStackFolder(folder: StackFolder): { path: string; bytes: number }[] {
  requireStackFolder(folder);
  const removed = [folder.dir, externalFolder(folder.dir)]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, bytes: getSize(path) }));
  for (const { path } of removed) rmSync(path, { recursive: true, force: true });
  return removed;
}

function getSize(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((total, name) => {
    try {
      return total + getSize(join(path, name));
    } catch {
      return total;
    }
  }, 0);
}

/** The content of `.slipway/dev.json`, which scripts and examples read. Source: docs/api.md, Local stack. */
export type DevFile = {
  site_url: string;
  base_url: string;
  rpc_url: string;
  chain_id: number;
  database_url: string;
  api_key: string;
  /** Funded accounts from which the stack itself never sends; the keys are the well-known development keys. */
  wallets: { address: `0x${string}`; private_key: `0x${string}` }[];
  manifest: { path: string; sha256: string };
  weth: `0x${string}`;
  stablecoin: `0x${string}` | null;
  /** The folder of the mails that the service has sent. */
  mails: string;
  /** Addresses of the demo tokens. */
  tokens: `0x${string}`[];
};

/** Writes a file atomically and readable only for its owner, because it contains a secret. */
export function writePrivateFile(path: string, content: string): void {
  writeFileSync(`${path}.partial`, content, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

/** Writes `dev.json`, which contains the password of the database. */
export function writeDevFile(path: string, content: DevFile): void {
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
}

export function removeDevFile(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}.partial`, { force: true });
}

/**
 * Reads `dev.json` of the stack that runs in a folder.
 *
 * @throws StackError when no stack runs, also if a killed stack has left its file, and while the stack starts
 */
export function readDevFile(folder = resolveStackFolder(defaultStackDir)): DevFile {
  if (readStackLockHolder(folder.lock) === null) {
    throw new StackError(`No local stack is running here (${folder.dir}).`, "Start it first: npm start");
  }
  if (!existsSync(folder.devFile)) {
    throw new StackError(`The local stack here is not ready yet (${folder.dir}).`, "Wait until npm start says it is.");
  }
  return JSON.parse(readFileSync(folder.devFile, "utf8")) as DevFile;
}
