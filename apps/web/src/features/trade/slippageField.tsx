import { useState } from "react";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input } from "../../ui/field.tsx";
import { Segments } from "../../ui/segments.tsx";
import { maxSlippageBps } from "./slippageChoice.ts";

const choices = [50, 100, 300] as const;

/** Parses a percentage with at most two decimals to basis points; 0 if it is invalid. */
function toBps(text: string): number {
  const plain = text.trim().replace(",", ".");
  return /^\d{1,2}(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : 0;
}

/** The slippage tolerance in basis points. `onChange` gets null while the custom value is invalid. */
export function SlippageField({ value, onChange }: { value: number; onChange: (bps: number | null) => void }) {
  const { trade: text } = useMessages();
  const isChoice = choices.some((bps) => bps === value);
  const [own, setOwn] = useState(isChoice ? "" : String(value / 100));
  const [isOwn, setIsOwn] = useState(!isChoice);
  const parsed = toBps(own);
  const isValid = parsed >= 1 && parsed <= maxSlippageBps;
  const items = [
    ...choices.map((bps) => ({ value: String(bps), label: formatShare(bps) })),
    { value: "own", label: text.slippageOwn },
  ];
  const choose = (next: string) => {
    setIsOwn(next === "own");
    if (next !== "own") onChange(Number(next));
    else onChange(isValid ? parsed : null);
  };
  const type = (next: string) => {
    setOwn(next);
    const bps = toBps(next);
    onChange(bps >= 1 && bps <= maxSlippageBps ? bps : null);
  };
  return (
    <div className="flex flex-col gap-2">
      <Segments label={text.slippage} value={isOwn ? "own" : String(value)} items={items} onChange={choose} />
      {isOwn ? (
        <Field label={`${text.slippage} (%)`} labelHidden error={own === "" || isValid ? null : text.slippageError}>
          {(control) => (
            <Input
              {...control}
              value={own}
              inputMode="decimal"
              placeholder="1.0"
              onChange={(event) => type(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <p className="text-sm text-muted">{text.slippageHint}</p>
    </div>
  );
}
