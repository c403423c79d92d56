import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input } from "../../ui/field.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import { type VestingDays, vestingNames } from "./vestingDays.ts";

type VestingFieldsProps = {
  value: VestingDays;
  faults: FieldFaults;
  onChange: (changed: Partial<VestingDays>) => void;
};

/** When the tokens of the initial buy vest, in days. Empty: at once. */
export function VestingFields({ value, faults, onChange }: VestingFieldsProps) {
  const { launch: text } = useMessages();
  return (
    <div className="mt-4 grid gap-4 sm:grid-cols-2">
      {vestingNames.map((name) => (
        <Field key={name} label={text[name]} hint={text[`${name}Hint`]} error={faults.get(name) ?? null}>
          {(control) => (
            <Input
              {...control}
              value={value[name]}
              inputMode="numeric"
              maxLength={4}
              autoComplete="off"
              onChange={(event) => onChange({ [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
