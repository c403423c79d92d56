const storageKey = "slipway.favourites";
/** The service lists this many tokens by address at once. */
export const maxFavourites = 100;

const listeners = new Set<() => void>();
let kept: readonly string[] | null = null;

/** Returns the favourite tokens of this browser, newest first, in lower case; the same array until they change. */
export function getFavourites(): readonly string[] {
  kept ??= parseFavourites(read());
  return kept;
}

export function subscribeFavourites(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener("storage", onStorage);
  };
}

/** Adds or removes a token. Without storage, the favourites end with the page. */
export function toggleFavourite(address: string): void {
  const token = address.toLowerCase();
  const others = getFavourites().filter((one) => one !== token);
  store(others.length < getFavourites().length ? others : [token, ...others].slice(0, maxFavourites));
}

/** Adds tokens, e.g. of an exported file. @returns the number of new ones */
export function addFavourites(text: string): number {
  const before = getFavourites();
  const added = parseFavourites(text).filter((token) => !before.includes(token));
  store([...added, ...before].slice(0, maxFavourites));
  return getFavourites().length - before.length;
}

/** Parses a list of addresses; anything else in it is left out. */
function parseFavourites(text: string | null): string[] {
  return [...new Set(text?.toLowerCase().match(/\b0x[0-9a-f]{40}\b/g) ?? [])].slice(0, maxFavourites);
}

function read(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function store(next: readonly string[]): void {
  kept = next;
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // Without storage, the favourites end with the page.
  }
  for (const listener of listeners) listener();
}

/** Another tab has changed the favourites. */
function onStorage({ key }: StorageEvent): void {
  if (key !== storageKey) return;
  kept = null;
  for (const listener of listeners) listener();
}
