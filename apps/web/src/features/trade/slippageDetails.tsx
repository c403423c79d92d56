import { useState } from "react";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { loadSlippage, saveSlippage } from "./slippageChoice.ts";
import { SlippageField } from "./slippageField.tsx";

/** Returns the slippage tolerance, which this browser remembers, and a function that changes it. */
export function useSlippage(): [number | null, (bps: number | null) => void] {
  const [slippageBps, setSlippage] = useState<number | null>(() => loadSlippage(localStorage));
  const choose = (bps: number | null) => {
    setSlippage(bps);
    if (bps !== null) saveSlippage(localStorage, bps);
  };
  return [slippageBps, choose];
}

/** The slippage tolerance in one line, which opens to change it. */
export function SlippageDetails({ value, onChange }: { value: number | null; onChange: (bps: number | null) => void }) {
  const { trade: text } = useMessages();
  return (
    <details className="text-sm">
      <summary className="flex min-h-8 items-center justify-between gap-2 rounded-sm">
        <span className="text-muted">{text.slippage}</span>
        <span className="font-semibold">{value === null ? "—" : formatShare(value)}</span>
      </summary>
      <div className="pt-2">
        <SlippageField value={value ?? 100} onChange={onChange} />
      </div>
    </details>
  );
}
