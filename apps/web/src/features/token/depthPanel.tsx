import type { TokenDetail } from "@slipway/protocol/indexed";
import { useQuery } from "@tanstack/react-query";
import { type Answer, readOptions } from "../../data/queries.ts";
import { formatPercent, formatUsd } from "../../format/figures.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Price } from "../../ui/price.tsx";
import { TradeSide } from "../../ui/tradeSide.tsx";

type Level = Answer<"getTokenDepth">["levels"][number];

const quoteDecimals = 18;

/** The trades that move the token's price by 1, 2, 5 and 10 percent, buys above the current price and sells below. */
export function DepthPanel({ token, stale }: { token: TokenDetail; stale: boolean }) {
  const texts = useMessages().token;
  const options = readOptions("getTokenDepth", { address: token.address.toLowerCase() });
  const { data, error, isError, refetch } = useQuery(options);
  useLiveRefetch(options.queryKey, token.address);
  if (isError && data === undefined) return <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />;
  const levels = data?.levels.toSorted((a, b) => b.change_pct - a.change_pct);
  const most = Math.max(...(levels ?? []).map(({ quote_amount }) => Number(quote_amount)));
  const columns: Column<Level>[] = [
    {
      key: "change",
      header: texts.priceMove,
      render: ({ change_pct, side }) => (
        <span className="flex items-center gap-3">
          <span className="w-16 font-semibold">{formatPercent(change_pct)}</span>
          <TradeSide side={side} label={texts[side]} />
        </span>
      ),
    },
    {
      key: "bar",
      header: <span className="sr-only">{texts.depthBar}</span>,
      priority: "lg",
      className: "w-1/4",
      render: ({ quote_amount, side }) => (
        <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full">
          <rect
            width={most > 0 ? (Number(quote_amount) / most) * 100 : 0}
            height={8}
            className={side === "buy" ? "fill-buy" : "fill-sell"}
          />
        </svg>
      ),
    },
    {
      key: "price",
      header: texts.priceAfter,
      numeric: true,
      priority: "sm",
      render: ({ price_eth }) => <Price value={price_eth} quote="eth" />,
    },
    {
      key: "tokens",
      header: texts.amount,
      numeric: true,
      priority: "md",
      render: ({ token_amount }) => <Amount value={token_amount} decimals={token.decimals} />,
    },
    {
      key: "quote",
      header: texts.value,
      numeric: true,
      render: ({ quote_amount, quote_usd, reached }) => (
        <span className="flex flex-col items-end">
          <Amount value={quote_amount} decimals={quoteDecimals} symbol="ETH" className="font-semibold" />
          <span className="text-xs text-muted">{reached ? formatUsd(quote_usd) : texts.notReached}</span>
        </span>
      ),
    },
  ];
  return (
    <>
      <p className="px-4 pb-2 text-sm text-muted">{texts.depthLead}</p>
      <DataTable
        caption={texts.depthCaption}
        columns={columns}
        rows={levels}
        getKey={({ change_pct }) => String(change_pct)}
        skeletonRows={8}
        stale={stale || isError}
        rowClassName="h-12"
      />
    </>
  );
}
