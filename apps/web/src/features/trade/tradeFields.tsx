import type { TokenDetail } from "@slipway/protocol/indexed";
import { useMessages } from "../../messages/useMessages.ts";
import { Segments } from "../../ui/segments.tsx";
import { AmountForm } from "./amountForm.tsx";
import { noFigures } from "./figures.ts";
import { QuickAmounts } from "./quickAmounts.tsx";
import { QuoteDetails } from "./quoteDetails.tsx";
import { Received } from "./received.tsx";
import { SlippageDetails } from "./slippageDetails.tsx";
import { decimals } from "./tradeBoxState.ts";
import { HighImpact } from "./tradeNotices.tsx";
import type { TradeOrder } from "./tradeOrder.ts";
import type { useTradeForm } from "./useTradeForm.ts";

type Side = TradeOrder["side"];

type TradeFieldsProps = {
  token: TokenDetail;
  side: Side;
  form: ReturnType<typeof useTradeForm>;
  onSide: (side: Side) => void;
  /** Called by the Enter key in the amount. */
  onSubmit: () => void;
};

/** The inputs of a trade, and what it yields and costs. */
export function TradeFields({ token, side, form, onSide, onSubmit }: TradeFieldsProps) {
  const { trade: text } = useMessages();
  const { asset, figures } = form;
  return (
    <>
      <SideChoice value={side} onChange={onSide} />
      <AmountForm
        side={side}
        asset={asset}
        typed={form.typed}
        balance={form.balance}
        symbol={form.assetIn}
        error={form.fault}
        onChange={form.setTyped}
        onSubmit={onSubmit}
      />
      <QuickAmounts
        side={side}
        decimals={decimals}
        balance={form.balance}
        symbol={form.assetIn}
        onChoose={form.setTyped}
      />
      <Segments
        label={side === "buy" ? text.payWith : text.receiveAs}
        value={asset}
        items={[
          { value: "native", label: side === "buy" ? text.withNative : text.asNative },
          { value: "wrapped", label: side === "buy" ? text.withWrapped : text.asWrapped },
        ]}
        onChange={form.setAsset}
      />
      <Received
        quoted={form.quoted}
        assetOut={form.assetOut}
        amountOut={figures?.amountOut ?? null}
        isEstimate={form.isEstimate}
      />
      <QuoteDetails
        side={side}
        assetIn={form.assetIn}
        assetOut={form.assetOut}
        figures={figures ?? noFigures}
        symbol={token.symbol}
        policy={token.fee_policy}
      />
      <HighImpact bps={figures?.impactBps ?? null} />
      <SlippageDetails value={form.slippageBps} onChange={form.chooseSlippage} />
    </>
  );
}

function SideChoice({ value, onChange }: { value: Side; onChange: (side: Side) => void }) {
  const { trade: text } = useMessages();
  const items = [
    { value: "buy", label: text.buy },
    { value: "sell", label: text.sell },
  ] as const;
  return <Segments label={text.side} value={value} items={items} onChange={onChange} />;
}
