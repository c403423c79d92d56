import { toExactAmount } from "../../format/amount.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";

const buys = ["0.01", "0.1", "1"] as const;
const sells = [25, 50, 100] as const;

type QuickAmountsProps = {
  side: "buy" | "sell";
  symbol: string;
  /** The balance of the sold token in base units; null while unknown. */
  balance: bigint | null;
  decimals: number;
  onChoose: (typed: string) => void;
};

/** Amounts with one press: three amounts for a buy, three shares of the balance for a sell. */
export function QuickAmounts({ side, symbol, balance, decimals, onChoose }: QuickAmountsProps) {
  const { trade: text } = useMessages();
  return (
    <fieldset className="-mt-2 grid grid-cols-3 gap-2">
      <legend className="sr-only">{text.quick}</legend>
      {side === "buy"
        ? buys.map((amount) => (
            <Button key={amount} size="sm" onClick={() => onChoose(amount)}>
              {amount} <span className="max-w-12 truncate text-muted">{symbol}</span>
            </Button>
          ))
        : sells.map((percent) => (
            <Button
              key={percent}
              size="sm"
              disabled={!balance}
              onClick={() => onChoose(toExactAmount(((balance ?? 0n) * BigInt(percent)) / 100n, decimals))}
            >
              {percent}%
            </Button>
          ))}
    </fieldset>
  );
}
