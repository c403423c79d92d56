/** Browser storage of an account's input and choices. It contains nothing of the session. */
export type AccountStorage = {
  /** Null if the storage has no value, or if the value belongs to another account. */
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
  /** Removes all values, when the account signs out or another one signs in. */
  clear(): void;
};

const prefix = "slipway.account.";

/** The database of files that the account has chosen and not yet uploaded. */
export const keptFilesDatabase = "slipway.files";

/** Removes the kept files from this browser. */
export function forgetFiles(): void {
  try {
    indexedDB.deleteDatabase(keptFilesDatabase);
  } catch {
    // Without a database, no file is kept.
  }
}

type Kept = { owner: string | null; value: string };

/**
 * Creates an account storage over `localStorage`. If the storage is blocked or full, values are not kept.
 *
 * @param getOwner - Returns the signed-in account; null without one. Values without an owner belong to the next
 * account.
 */
export function createAccountStorage(storage: Storage, getOwner: () => string | null): AccountStorage {
  const read = (name: string): Kept | null => {
    try {
      const kept = JSON.parse(storage.getItem(prefix + name) ?? "null") as Partial<Kept> | null;
      return typeof kept?.value === "string" ? { owner: kept.owner ?? null, value: kept.value } : null;
    } catch {
      return null;
    }
  };
  const quietly = (work: () => void) => {
    try {
      work();
    } catch {
      // Without storage, the value is not kept.
    }
  };
  const isOfAnother = ({ owner }: Kept) => owner !== null && getOwner() !== null && owner !== getOwner();
  return {
    getItem: (name) => {
      const kept = read(name);
      return kept === null || isOfAnother(kept) ? null : kept.value;
    },
    setItem: (name, value) =>
      quietly(() => {
        const kept: Kept = { owner: getOwner() ?? read(name)?.owner ?? null, value };
        storage.setItem(prefix + name, JSON.stringify(kept));
      }),
    removeItem: (name) => quietly(() => storage.removeItem(prefix + name)),
    clear: () =>
      quietly(() => {
        const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
        for (const key of keys) if (key?.startsWith(prefix)) storage.removeItem(key);
      }),
  };
}
