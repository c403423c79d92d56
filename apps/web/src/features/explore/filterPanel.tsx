import { type FormEvent, useState } from "react";
import { type ExploreSearch, filterNames } from "../../data/exploreSearch.ts";
import { isAddress } from "../../data/getReceiveCodeUrl.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";

type FilterPanelProps = { search: ExploreSearch; onChange: (filters: ExploreSearch) => void };

/** The filters of explore: age, liquidity, volume, holders, price change and creator. */
export function FilterPanel({ search, onChange }: FilterPanelProps) {
  const { tokenList: text } = useMessages();
  const [typed, setTyped] = useState(() => Object.fromEntries(filterNames.map((name) => [name, search[name] ?? ""])));
  const isValid = (name: (typeof filterNames)[number]) => {
    const value = typed[name]!.trim();
    if (value === "") return true;
    if (name === "creator") return isAddress(value);
    if (name === "change") return /^-?\d{1,7}$/.test(value);
    // The service limits the age to 10^9 seconds.
    return (name === "age" ? /^\d{1,5}$/ : /^\d{1,9}$/).test(value);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!filterNames.every(isValid)) return;
    onChange(Object.fromEntries(filterNames.map((name) => [name, typed[name]!.trim() || undefined])));
  };
  const clear = () => {
    setTyped(Object.fromEntries(filterNames.map((name) => [name, ""])));
    onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  };
  return (
    <form
      noValidate
      onSubmit={submit}
      aria-label={text.filters}
      className="panel grid gap-x-4 gap-y-3 p-4 sm:grid-cols-2 lg:grid-cols-6"
    >
      {filterNames.map((name) => (
        <Field
          key={name}
          label={text.filter[name]}
          error={isValid(name) ? null : text.filterFault[name === "creator" ? "creator" : "number"]}
        >
          {(control) => (
            <Input
              {...control}
              value={typed[name]}
              inputMode={name === "creator" ? undefined : "numeric"}
              placeholder={text.filterExample[name]}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <div className="flex gap-2 sm:col-span-2 lg:col-span-6">
        <Button type="submit" variant="primary" size="sm">
          {text.applyFilters}
        </Button>
        <Button size="sm" onClick={clear}>
          {text.clearFilters}
        </Button>
      </div>
    </form>
  );
}
