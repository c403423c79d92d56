import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { AmountField } from "../../ui/amountField.tsx";
import type { TradeOrder } from "./tradeOrder.ts";

const decimals = 18;

type AmountFormProps = {
  side: TradeOrder["side"];
  asset: TradeOrder["asset"];
  typed: string;
  symbol: string;
  /** The balance of the paid asset in base units; null while unknown. */
  balance: bigint | null;
  error: string | null;
  onChange: (typed: string) => void;
  onSubmit: () => void;
};

/** The amount of a trade. The Enter key in it does what the button of the trade does. */
export function AmountForm({ side, asset, typed, symbol, balance, error, onChange, onSubmit }: AmountFormProps) {
  const { trade: text } = useMessages();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <AmountField
        label={text.pay}
        value={typed}
        onChange={onChange}
        decimals={decimals}
        symbol={symbol}
        error={error}
        // No maximum for native, because the network fee is paid in native too.
        max={side === "buy" && asset === "native" ? null : balance || null}
        aside={
          balance === null ? undefined : (
            <span>
              {text.balance} <Amount value={balance} decimals={decimals} />
            </span>
          )
        }
      />
      <button type="submit" hidden />
    </form>
  );
}
