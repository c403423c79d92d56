import type { IndexedCandle, TokenDetail } from "@slipway/protocol/indexed";
import type { LiquidityChange } from "@slipway/protocol/liquidityChanges";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { liquidityPages } from "../../data/tokenQueries.ts";
import { formatCount, shortenAddress } from "../../format/figures.ts";
import { formatMoment } from "../../format/time.ts";
import { useLiveRefetch } from "../../live/useLiveRefetch.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Amount } from "../../ui/amount.tsx";
import type { ChartMark } from "../../ui/chartOverlays.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { groupByCandle, startsAfter, sumChanges, toLiquidityMarks } from "./liquidityGroups.ts";

/** Pages of changes for one chart. Anybody can add any number of small amounts. */
const maxPages = 3;
/** Changes that the box of a candle shows one by one. */
const boxChanges = 3;
/** The newest changes in the list for screen readers. */
const listedChanges = 20;

type Token = Pick<TokenDetail, "address" | "symbol" | "decimals">;

type LiquidityMarksProps = {
  token: Token;
  candles: readonly IndexedCandle[];
  /** The open time of the candle under the pointer. */
  pointed: number | null;
  /** Must be stable. Gets the marks of the candles, and none at the end. */
  onMarks: (marks: readonly ChartMark[]) => void;
};

/** The changes of liquidity in the chart of a token: loads them, gives the chart its marks, and describes a candle's changes. */
export function LiquidityMarks({ token, candles, pointed, onMarks }: LiquidityMarksProps) {
  const { chart } = useMessages();
  const options = liquidityPages(token.address);
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(options);
  useLiveRefetch(options.queryKey, token.address);
  const changes = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const hasEarlier = hasNextPage && startsAfter(changes, candles);
  const isCut = hasEarlier && data!.pages.length >= maxPages;
  const loadsEarlier = hasEarlier && !isCut && !isFetching && error === null;
  useEffect(() => {
    if (loadsEarlier) void fetchNextPage();
  }, [loadsEarlier, fetchNextPage]);
  const groups = useMemo(() => groupByCandle(changes, candles), [changes, candles]);
  useEffect(() => onMarks(toLiquidityMarks(groups.values())), [groups, onMarks]);
  useEffect(() => () => onMarks([]), [onMarks]);
  const pointedChanges = pointed === null ? undefined : groups.get(pointed)?.changes;
  return (
    <>
      {error === null ? null : (
        <ErrorNote
          error={error}
          title={chart.liquidityFailed}
          onRetry={() => void refetch()}
          busy={isFetching}
          className="absolute inset-x-2 top-2 z-10"
        />
      )}
      {pointedChanges === undefined ? null : <ChangeBox changes={pointedChanges} token={token} />}
      {isCut ? (
        <p className="pointer-events-none absolute start-2 bottom-8 z-10 rounded-sm bg-surface px-1 text-xs text-muted">
          {chart.liquidityCut(formatCount(changes.length))}
        </p>
      ) : null}
      <ul aria-label={chart.liquidityList} className="sr-only">
        {changes.slice(0, listedChanges).map((change) => (
          <li key={change.id}>
            <Change change={change} token={token} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The changes of one candle. The list for screen readers has them too. */
function ChangeBox({ changes, token }: { changes: readonly LiquidityChange[]; token: Token }) {
  const { chart } = useMessages();
  const others = changes.length - boxChanges;
  const sums = sumChanges(changes);
  return (
    <div
      aria-hidden="true"
      data-testid="liquidity"
      className="pointer-events-none absolute start-2 top-2 z-10 flex max-w-[calc(100%-5.5rem)] flex-col gap-1 rounded-sm border border-line bg-surface px-2 py-1.5 text-xs"
    >
      {changes.slice(0, boxChanges).map((change) => (
        <p key={change.id}>
          <Change change={change} token={token} />
        </p>
      ))}
      {others > 0 ? (
        <p className="border-t border-line pt-1 font-semibold">
          {chart.liquidityMore(formatCount(others))}
          {(["mint", "burn"] as const).map((kind) => {
            const sum = sums[kind];
            return sum === null ? null : (
              <span key={kind} className="block">
                {chart.liquidityKinds[kind]} <Amounts tokenAmount={sum.token} quoteAmount={sum.quote} token={token} />
              </span>
            );
          })}
        </p>
      ) : null}
    </div>
  );
}

function Change({ change, token }: { change: LiquidityChange; token: Token }) {
  const { chart } = useMessages();
  const { kind, token_amount, quote_amount, block_timestamp, maker } = change;
  return (
    <>
      <span className="font-semibold">{chart.liquidityKinds[kind]}</span>{" "}
      <Amounts tokenAmount={token_amount} quoteAmount={quote_amount} token={token} />{" "}
      <span className="block text-muted">
        {formatMoment(new Date(block_timestamp))} · {shortenAddress(maker)}
      </span>
    </>
  );
}

type AmountsProps = { tokenAmount: bigint | string; quoteAmount: bigint | string; token: Token };

function Amounts({ tokenAmount, quoteAmount, token }: AmountsProps) {
  return (
    <>
      <Amount value={tokenAmount} decimals={token.decimals} symbol={token.symbol} /> +{" "}
      <Amount value={quoteAmount} decimals={18} symbol="ETH" />
    </>
  );
}
