import { constants } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Runtime } from "../../runtime.ts";
import { type MediaStorage, MediaStorageError } from "./mediaStorage.ts";

/** The age from which an unfinished file counts as the remains of an ended process. */
const staleMs = 60 * 60_000;

/**
 * Stores images as files of a folder. A file appears under its name only when it is completely on the disk: it is
 * written under a temporary name, synced, and renamed, and the rename is synced too.
 */
export function createFileStorage({ config, ids, clock }: Pick<Runtime, "config" | "ids" | "clock">): MediaStorage {
  const root = resolve(config.DATA_DIR, "media");
  const incoming = join(root, "incoming");
  // Two digits of the hash: a folder with millions of files is slow on some file systems.
  const toPath = (key: string) => join(root, key.slice(0, 2), key);
  /** Whether the folder existed at the last write. */
  let isPrepared = false;

  return {
    put: (key, bytes) =>
      translate(async () => {
        if (!isPrepared) await prepareFolder(incoming, clock.now());
        isPrepared = true;
        const path = toPath(key);
        const temporary = join(incoming, ids.uuid());
        try {
          await requireSpace(incoming, config.MEDIA_MIN_FREE_BYTES);
          await mkdir(dirname(path), { recursive: true });
          await writeSynced(temporary, bytes);
          await rename(temporary, path);
        } catch (error) {
          isPrepared = false;
          await rm(temporary, { force: true }).catch(() => undefined);
          throw error;
        }
        await syncFolder(dirname(path));
      }),
    get: (key) => translate(() => orNull(readFile(toPath(key)))),
    has: (key) => translate(async () => (await orNull(access(toPath(key), constants.R_OK).then(() => true))) !== null),
  };
}

/** Creates the folder of unfinished files, and removes the files of killed processes from it. */
async function prepareFolder(incoming: string, nowMs: number): Promise<void> {
  await mkdir(incoming, { recursive: true });
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await orNull(stat(path));
    if (found !== null && nowMs - found.mtimeMs > staleMs) await rm(path, { force: true });
  }
}

/** Fails if the disk is nearly full: uploads must not fill a disk that other software, such as the database, uses. */
async function requireSpace(folder: string, minFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < minFreeBytes) throw new Error(`less than ${minFreeBytes} bytes are free`);
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  return await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MediaStorageError("the folder of images cannot be used", { cause: error });
  }
}
