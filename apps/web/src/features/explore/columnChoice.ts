/** The key of the hidden columns in the storage of the browser. */
export const columnsKey = "slipway.columns";

const listeners = new Set<() => void>();
let hidden: readonly string[] | null = null;

/** Returns the keys of the columns that this browser hides in the table of tokens; the same array until they change. */
export function getHiddenColumns(): readonly string[] {
  if (hidden === null) {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(columnsKey) ?? "[]");
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

/** Changes the hidden columns until the page ends; the menu of columns keeps them. */
export function setHiddenColumns(keys: readonly string[]): void {
  hidden = keys;
  for (const listener of listeners) listener();
}
