import { useSyncExternalStore } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { columnsKey, getHiddenColumns, setHiddenColumns, subscribeColumns } from "./columnChoice.ts";

const columns = ["change", "volume", "marketCap", "liquidity", "holders", "age"] as const;

/** Shows or hides a column. Without storage, the choice ends with the page. */
function toggleColumn(key: string): void {
  const hidden = getHiddenColumns();
  setHiddenColumns(hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key]);
  try {
    localStorage.setItem(columnsKey, JSON.stringify(getHiddenColumns()));
  } catch {
    // Without storage, the choice ends with the page.
  }
}

/** The choice of the columns of the table of tokens. */
export function ColumnMenu() {
  const { explore, tokenList: text } = useMessages();
  const hidden = useSyncExternalStore(subscribeColumns, getHiddenColumns);
  return (
    <fieldset className="panel flex flex-wrap gap-x-6 gap-y-1 p-4">
      <legend className="sr-only">{text.columns}</legend>
      {columns.map((key) => (
        <label key={key} className="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={!hidden.includes(key)}
            onChange={() => toggleColumn(key)}
            className="size-4 accent-accent"
          />
          {explore.columns[key]}
        </label>
      ))}
    </fieldset>
  );
}
