import type { TokenDetail } from "@slipway/protocol/indexed";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { accountTradePages } from "../../data/tokenQueries.ts";
import { formatAmount } from "../../format/amount.ts";
import { formatUsd, unknown } from "../../format/figures.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useBalances } from "../../session/useBalances.ts";
import { Amount } from "../../ui/amount.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Price } from "../../ui/price.tsx";
import { addNewestTrades, computePosition } from "./computePosition.ts";
import { estimateSwap } from "./estimateSwap.ts";

const decimals = 18;
/** Pages of 300 trades that the panel reads; an account with more has no average cost here. */
const maxPages = 10;

/**
 * The connected wallet's position: balance, average cost, and profit by what the pool would pay for it now. Renders
 * nothing for a wallet that neither has nor traded the token.
 */
export function PositionPanel({ token, wallet }: { token: TokenDetail; wallet: string }) {
  const { trade: text } = useMessages();
  const options = accountTradePages(token.address, wallet);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(options);
  useLiveRefetch(options.queryKey, token.address);
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && pages < maxPages) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, pages, fetchNextPage]);
  const balance = useBalances([token.address]).tokens.get(token.address.toLowerCase()) ?? null;
  const trades = addNewestTrades(data?.pages.flatMap(({ items }) => items) ?? [], token.trades, wallet);
  if (trades.length === 0 && (balance === null || balance === 0n)) return null;
  const position = data === undefined || hasNextPage ? null : computePosition(trades);
  const ethUsd = token.price_usd !== null && token.price_eth ? token.price_usd / token.price_eth : null;
  const worth = getWorth(token, balance ?? 0n);
  const held = position === null ? null : getWorth(token, position.amount);
  const unrealized = position === null || held === null ? null : held - position.cost;
  const heldUsd = toUsd(held, ethUsd);
  const unrealizedUsd = heldUsd === null || !position || position.costUsd === null ? null : heldUsd - position.costUsd;
  return (
    <Panel title={text.position}>
      <dl className="flex flex-col gap-1.5 text-sm">
        <Line label={text.balance}>
          <Amount value={balance} decimals={decimals} symbol={token.symbol} />
        </Line>
        <Line label={text.worth} hint={text.worthHint}>
          {worth === null ? unknown : <Value wei={worth} usd={toUsd(worth, ethUsd)} />}
        </Line>
        <Line label={text.averageCost}>
          {position === null || position.amount === 0n ? (
            unknown
          ) : (
            <Price value={Number(position.cost) / Number(position.amount)} quote="eth" />
          )}
        </Line>
        <Line label={text.unrealized}>
          {unrealized === null ? unknown : <Profit wei={unrealized} usd={unrealizedUsd} />}
        </Line>
        <Line label={text.realized}>
          {position === null ? unknown : <Profit wei={position.realized} usd={position.realizedUsd} />}
        </Line>
      </dl>
      <p className="mt-2 text-xs text-muted">{text.positionHint}</p>
    </Panel>
  );
}

/** Returns what the pool pays for an amount in one sell, in wei; null if the pool cannot take it. */
function getWorth(token: TokenDetail, amount: bigint): bigint | null {
  if (amount === 0n) return 0n;
  const estimate = estimateSwap(token, "sell", amount);
  return estimate === null || estimate === "too_thin" ? null : estimate.amountOut;
}

const toUsd = (wei: bigint | null, ethUsd: number | null) =>
  wei === null || ethUsd === null ? null : (Number(wei) / 1e18) * ethUsd;

function Line({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-muted" title={hint}>
        {label}
      </dt>
      <dd className="ms-auto text-end font-semibold">{children}</dd>
    </div>
  );
}

function Value({ wei, usd }: { wei: bigint; usd: number | null }) {
  return (
    <span title={`${formatAmount(wei, decimals)} ETH`}>
      {usd === null ? `${formatAmount(wei, decimals)} ETH` : formatUsd(usd)}
    </span>
  );
}

/** A profit with its sign, in USD if its value is known. */
function Profit({ wei, usd }: { wei: bigint; usd: number | null }) {
  const sign = wei > 0n ? "+" : "";
  const inEth = `${sign}${formatAmount(wei, decimals)} ETH`;
  return (
    <span className={wei === 0n ? "" : wei > 0n ? "text-buy" : "text-sell"} title={inEth}>
      {usd === null ? inEth : `${usd > 0 ? "+" : ""}${formatUsd(usd)}`}
    </span>
  );
}
