import type { OpeningDetail } from "@slipway/protocol/openings";
import { useState } from "react";
import { formatAmount } from "../../format/amount.ts";
import { formatFraction } from "../../format/share.ts";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useBalances } from "../../session/useBalances.ts";
import { AmountField } from "../../ui/amountField.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Lines } from "./lines.tsx";

type DepositFormProps = {
  opening: OpeningDetail;
  currency: string;
  /** `amount` in wei. */
  onDeposit: (amount: bigint) => void;
};

/** A deposit, with its review before the wallet opens. */
export function DepositForm({ opening, currency, onDeposit }: DepositFormProps) {
  const { opening: text } = useMessages();
  const { native } = useBalances([]);
  const [typed, setTyped] = useState("");
  const [amount, setAmount] = useState<bigint | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isReviewing, setReviewing] = useState(false);
  const toNative = (value: bigint) => `${formatAmount(value, 18)} ${currency}`;
  const review = () => {
    const wrong =
      amount === null || amount === 0n
        ? text.amountError
        : native !== null && amount > native
          ? text.amountTooHigh(toNative(native))
          : null;
    setFault(wrong);
    setReviewing(wrong === null);
  };
  const after = BigInt(opening.total) + (amount ?? 0n);
  const own = BigInt(opening.account?.deposit ?? "0") + (amount ?? 0n);
  const share = after === 0n ? null : Number((own * 1_000_000n) / after) / 1_000_000;
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        review();
      }}
    >
      <AmountField
        label={text.amount}
        hint={text.amountHint}
        value={typed}
        decimals={18}
        symbol={currency}
        error={fault}
        onChange={(value, parsed) => {
          setTyped(value);
          setAmount(parsed);
          setFault(null);
        }}
      />
      <ActionButton onClick={review}>{text.review}</ActionButton>
      {isReviewing && amount !== null ? (
        <Dialog open sheet onClose={() => setReviewing(false)} title={text.reviewTitle}>
          <div className="flex flex-col gap-4">
            <Lines
              lines={[
                [text.reviewPays, toNative(amount)],
                [text.reviewShare, formatFraction(share)],
                [text.reviewUntil, formatMoment(new Date(opening.deadline * 1_000))],
              ]}
            />
            <ul className="flex list-disc flex-col gap-1 ps-5 text-sm text-muted">
              {text.howList.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <ActionButton
              onClick={() => {
                setReviewing(false);
                onDeposit(amount);
              }}
            >
              {text.depositNow(toNative(amount))}
            </ActionButton>
          </div>
        </Dialog>
      ) : null}
    </form>
  );
}
