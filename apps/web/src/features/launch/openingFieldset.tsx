import { useMessages } from "../../messages/useMessages.ts";
import { AmountField } from "../../ui/amountField.tsx";
import { Field, Input } from "../../ui/field.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import type { OpeningFields } from "./openingTerms.ts";

type OpeningFieldsetProps = {
  value: OpeningFields;
  faults: FieldFaults;
  symbol: string;
  onChange: (changed: Partial<OpeningFields>) => void;
};

/** The terms of an opening: minimum, cap and days. */
export function OpeningFieldset({ value, faults, symbol, onChange }: OpeningFieldsetProps) {
  const { launch: text } = useMessages();
  const fault = (name: keyof OpeningFields) => faults.get(name) ?? null;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">{text.openingLead}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {(["openingMinimum", "openingCap"] as const).map((name) => (
          <AmountField
            key={name}
            label={text[name]}
            hint={text[`${name}Hint`]}
            value={value[name]}
            decimals={18}
            symbol={symbol}
            error={fault(name)}
            onChange={(typed) => onChange({ [name]: typed })}
          />
        ))}
      </div>
      <Field label={text.openingDays} hint={text.openingDaysHint} error={fault("openingDays")}>
        {(control) => (
          <Input
            {...control}
            value={value.openingDays}
            inputMode="numeric"
            maxLength={2}
            autoComplete="off"
            onChange={(event) => onChange({ openingDays: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
