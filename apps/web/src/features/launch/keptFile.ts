import { keptFilesDatabase } from "../../session/accountStorage.ts";

const store = "files";

/** Opens the browser's database of chosen files, runs one request in it and closes it. @throws DOMException */
async function request<T>(mode: IDBTransactionMode, create: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(keptFilesDatabase, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const database = await settle(opening);
  try {
    return await settle(create(database.transaction(store, mode).objectStore(store)));
  } finally {
    database.close();
  }
}

const settle = <T>(asked: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error ?? new Error("The database of the browser refused the request."));
  });

/**
 * Keeps the chosen picture of a launch form in this browser until its upload, so that a reload does not lose it. Only the
 * last form's picture is kept. Without a database, nothing is kept.
 *
 * @param key - The form's key, which belongs to the account.
 */
export async function keepFile(key: string, file: File | null): Promise<void> {
  await request("readwrite", (files) => files.clear()).catch(() => {});
  if (file !== null) await request("readwrite", (files) => files.put(file, key)).catch(() => {});
}

/** Returns the kept picture of a form; null without one. */
export async function loadFile(key: string): Promise<File | null> {
  const kept: unknown = await request("readonly", (files) => files.get(key)).catch(() => null);
  return kept instanceof File ? kept : null;
}
