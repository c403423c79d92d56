/** What an account keeps in this browser: what its person typed or decided, and nothing of its session. */
export type AccountStorage = {
  /** Null where nothing is kept, and of what another account has kept. */
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
  /** Forgets all of it, when the account signs out or another one signs in. */
  clear(): void;
};

const prefix = "slipway.account.";

type Kept = { owner: string | null; value: string };

/**
 * Creates it over `localStorage`, where storage can be forbidden or full: the page then only forgets.
 *
 * @param getOwner - The account that is signed in; null without one. What is typed before a sign-in is of who signs in next.
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
      // It holds until the page is left.
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
