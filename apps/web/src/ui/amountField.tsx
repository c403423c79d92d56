import type { ReactNode } from "react";
import { parseAmount, toExactAmount } from "../format/amount.ts";
import { toDisplayText } from "../format/displayText.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Field, Input } from "./field.tsx";

type AmountFieldProps = {
  label: ReactNode;
  /** The typed text. The page stores the text, so that no digit is lost. */
  value: string;
  /** `amount` is in the smallest unit; null while the text is not a valid amount. */
  onChange: (text: string, amount: bigint | null) => void;
  decimals: number;
  symbol: string;
  /** The exact maximum; enables its button. */
  max?: bigint | null;
  aside?: ReactNode;
  hint?: ReactNode;
  error?: string | null;
  disabled?: boolean;
};

/** A field for an amount of an asset. It parses to `bigint`, without floating-point numbers. */
export function AmountField({ value, onChange, decimals, symbol, max, disabled, ...field }: AmountFieldProps) {
  const { ui } = useMessages();
  const change = (text: string) => onChange(text, parseAmount(text, decimals));
  return (
    <Field {...field}>
      {(control) => (
        <div className="relative">
          <Input
            {...control}
            value={value}
            disabled={disabled}
            onChange={(event) => change(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            spellCheck={false}
            placeholder="0.0"
            className="pe-38"
          />
          <span className="pointer-events-none absolute inset-y-0 end-3 flex items-center gap-2 text-sm font-semibold">
            {max === undefined || max === null ? null : (
              <button
                type="button"
                disabled={disabled}
                onClick={() => change(toExactAmount(max, decimals))}
                className="pointer-events-auto rounded-sm border border-line px-2 py-0.5 text-accent hover:bg-sunken"
              >
                {ui.max}
              </button>
            )}
            <span className="max-w-20 truncate">{toDisplayText(symbol)}</span>
          </span>
        </div>
      )}
    </Field>
  );
}
