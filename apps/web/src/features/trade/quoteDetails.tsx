import type { TokenDetail } from "@slipway/protocol/indexed";
import type { ReactNode } from "react";
import { formatAmount } from "../../format/amount.ts";
import { formatShare, formatUsd, unknown } from "../../format/figures.ts";
import { withDecimalSign } from "../../format/locale.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { Price } from "../../ui/price.tsx";
import type { Figures } from "./figures.ts";
import { getImpactLevel } from "./tradeOrder.ts";

type QuoteDetailsProps = {
  figures: Figures;
  side: "buy" | "sell";
  symbol: string;
  /** The symbols of the paid and the received asset. */
  assetIn: string;
  assetOut: string;
  /** The recipients of the pool's fee; null if unknown. */
  policy?: TokenDetail["fee_policy"];
};

/** The costs and the result of a trade, line by line. */
export function QuoteDetails({ figures, side, symbol, assetIn, assetOut, policy = null }: QuoteDetailsProps) {
  const { trade: text } = useMessages();
  const { amountIn, amountOut, minimumOut, impactBps, feeAmount, networkWei, networkUsd } = figures;
  const [tokens, native] = side === "buy" ? [amountOut, amountIn] : [amountIn, amountOut];
  const price = tokens === null || native === null || tokens === 0n ? null : Number(native) / Number(tokens);
  return (
    <dl className="flex flex-col gap-1.5 text-sm">
      <Line label={text.atLeast}>
        {minimumOut === null ? unknown : <Amount value={minimumOut} decimals={18} symbol={assetOut} />}
      </Line>
      <Line label={`${text.price} (${text.pricePer(symbol)})`}>
        {price === null ? unknown : <Price value={price} quote="eth" />}
      </Line>
      <Line label={text.impact}>
        <Impact bps={impactBps} />
      </Line>
      <Line label={policy === null ? text.fee : text.feeOf(formatShare(policy.total_bps))}>
        {feeAmount === null ? unknown : <Amount value={feeAmount} decimals={18} symbol={assetIn} />}
      </Line>
      {policy === null ? null : (
        <Line label={text.feeTo}>
          <span className="text-xs font-normal text-muted">
            {text.feeSplit(formatShare(policy.collaborators_bps), formatShare(policy.protocol_bps))}
          </span>
        </Line>
      )}
      <Line label={text.networkCost}>
        {networkWei === null ? (
          unknown
        ) : (
          <span title={`${formatAmount(networkWei, 18)} ETH`}>
            {networkUsd === null ? `${formatAmount(networkWei, 18)} ETH` : formatUsd(networkUsd)}
          </span>
        )}
      </Line>
    </dl>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4">
      <dt className="text-muted">{label}</dt>
      <dd className="ms-auto text-end font-semibold">{children}</dd>
    </div>
  );
}

/** Formats a price impact in basis points as percent. */
export const formatImpact = (bps: number): string => `${withDecimalSign((bps / 100).toFixed(bps < 100 ? 2 : 1))}%`;

function Impact({ bps }: { bps: number | null }) {
  if (bps === null) return unknown;
  const level = getImpactLevel(bps);
  const tone = level === "none" ? "" : level === "amber" ? "text-warn" : "text-sell";
  return <span className={tone}>{bps === 0 ? "<0.01%" : `−${formatImpact(bps)}`}</span>;
}
