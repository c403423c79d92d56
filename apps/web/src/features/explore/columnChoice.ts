const storageKey = "slipway.columns";

const listeners = new Set<() => void>();
let hidden: readonly string[] | null = null;

/** Returns the keys of the columns that this browser hides in the table of tokens; the same array until they change. */
export function getHiddenColumns(): readonly string[] {
  if (hidden === null) {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
      hidden = Array.isArray(kept) ? kept.map(String) : [];
    } catch {
      hidden = [];
    }
  }
  return hidden;
}

export function subscribeColumns(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows or hides a column. Without storage, the choice ends with the page. */
export function toggleColumn(key: string): void {
  const others = getHiddenColumns().filter((one) => one !== key);
  hidden = others.length < getHiddenColumns().length ? others : [...others, key];
  try {
    localStorage.setItem(storageKey, JSON.stringify(hidden));
  } catch {
    // Without storage, the choice ends with the page.
  }
  for (const listener of listeners) listener();
}
