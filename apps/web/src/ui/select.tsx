import { toDisplayText } from "../format/displayText.ts";
import { controlClasses, Field } from "./field.tsx";

/** More characters than a line shows. A browser lays out the whole text of every option. */
const maxLabelUnits = 200;

type SelectProps<T extends string> = {
  label: string;
  labelHidden?: boolean;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  hint?: string;
  error?: string | null;
  className?: string;
};

/** The browser's native select, which every phone and screen reader supports. */
export function Select<T extends string>({ value, options, onChange, ...field }: SelectProps<T>) {
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value as T)}
          className={`${controlClasses} pe-8`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {toDisplayText(option.label, maxLabelUnits)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
