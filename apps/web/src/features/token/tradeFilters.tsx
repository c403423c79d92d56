import { memo, useState } from "react";
import { isAddress } from "../../data/getReceiveCodeUrl.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input } from "../../ui/field.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Select } from "../../ui/select.tsx";

/** The filter of the list of trades. `account` is an address, or null for all accounts. */
export type TradeFilter = { side: "all" | "buy" | "sell"; minUsd: number; account: string | null };

export const allTrades: TradeFilter = { side: "all", minUsd: 0, account: null };

const sizes = ["0", "100", "1000", "10000"] as const;

type TradeFiltersProps = {
  filter: TradeFilter;
  /** The connected wallet; null without one. */
  wallet: string | null;
  onChange: (filter: TradeFilter) => void;
};

/** The choice of side, size and account of the shown trades. Messages of the stream do not render it. */
export const TradeFilters = memo(function TradeFilters({ filter, wallet, onChange }: TradeFiltersProps) {
  const { token: text } = useMessages();
  const [typed, setTyped] = useState("");
  const isOwn = wallet !== null && filter.account === wallet;
  const isWrong = typed.trim() !== "" && !isAddress(typed.trim());
  const type = (next: string) => {
    setTyped(next);
    const account = next.trim();
    onChange({ ...filter, account: isAddress(account) ? account : null });
  };
  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 pb-4">
      <Segments
        label={text.side}
        value={filter.side}
        items={(["all", "buy", "sell"] as const).map((value) => ({ value, label: text.sides[value] }))}
        onChange={(side) => onChange({ ...filter, side })}
      />
      <Select
        label={text.minSize}
        labelHidden
        value={sizes.find((size) => Number(size) === filter.minUsd) ?? "0"}
        options={sizes.map((value) => ({ value, label: text.sizes[value] }))}
        onChange={(size) => onChange({ ...filter, minUsd: Number(size) })}
        className="w-40"
      />
      <Field
        label={text.accountFilter}
        labelHidden
        error={isWrong ? text.addressInvalid : null}
        className="min-w-40 flex-1"
      >
        {(control) => (
          <Input
            {...control}
            value={isOwn ? "" : typed}
            placeholder={text.accountFilter}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => type(event.target.value)}
          />
        )}
      </Field>
      {wallet === null ? null : (
        <label className="flex min-h-10 items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={isOwn}
            onChange={() => onChange({ ...filter, account: isOwn ? null : wallet })}
            className="size-4 accent-accent"
          />
          {text.ownTrades}
        </label>
      )}
    </div>
  );
});
