import { access, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The disk of a folder, in bytes, and the folder or its nearest parent that exists. */
export type Disk = { folder: string; freeBytes: number; sizeBytes: number };

/** Measures the disk of a folder, which need not exist yet. */
export async function measureDisk(path: string): Promise<Disk> {
  const folder = await findExisting(resolve(path));
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

async function findExisting(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : await findExisting(dirname(folder));
}
