import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { signalPages, signalRecords } from "../../data/marketQueries.ts";
import type { Answer } from "../../data/queries.ts";
import { formatMoment } from "../../format/time.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Price } from "../../ui/price.tsx";
import { formatBps, formatRate } from "./figures.ts";
import { Direction, Skill, useStrategyName } from "./signalParts.tsx";

type PastSignal = Answer<"listSignals">["items"][number];

/** The outcome of a signal after costs: word, mark and colour have the same meaning. */
function Outcome({ signal }: { signal: PastSignal }) {
  const { markets: text } = useMessages();
  const { outcome, exit_reason, return_bps } = signal;
  const tone = { hit: "text-buy", miss: "text-sell", open: "text-muted" }[outcome];
  return (
    <span className="flex flex-col">
      <span className={`inline-flex flex-wrap items-center gap-x-1 font-semibold ${tone}`}>
        {outcome === "open" ? null : <Icon name={outcome === "hit" ? "check" : "close"} size={12} />}
        {text.outcomes[outcome]}
        {return_bps === null ? null : <span className="whitespace-nowrap">{text.bps(formatBps(return_bps))}</span>}
      </span>
      {exit_reason === null ? null : <span className="text-xs text-muted">{text.exits[exit_reason]}</span>}
    </span>
  );
}

/** The signals of a market and their outcomes. */
export function SignalHistory({ pair }: { pair: string }) {
  const { markets: text } = useMessages();
  const toName = useStrategyName();
  const query = useInfiniteQuery({ ...signalPages(pair), refetchInterval: 60_000 });
  const pages = query.data?.pages;
  const columns: Column<PastSignal>[] = [
    {
      ...{ key: "time", header: text.signalColumns.time },
      render: ({ candle_close_at, origin, strategy }) => (
        <span className="flex flex-col">
          <time dateTime={candle_close_at}>{formatMoment(new Date(candle_close_at))}</time>
          <span className="text-xs text-muted md:hidden">{toName(strategy)}</span>
          {origin === "history" ? <span className="hidden text-xs text-muted md:block">{text.fromHistory}</span> : null}
        </span>
      ),
    },
    {
      ...{ key: "strategy", header: text.signalColumns.strategy, priority: "md" },
      render: ({ strategy }) => toName(strategy),
    },
    {
      ...{ key: "direction", header: text.signalColumns.direction },
      render: ({ direction }) => <Direction direction={direction} />,
    },
    {
      ...{ key: "price", header: text.signalColumns.price, numeric: true, priority: "sm" },
      render: ({ price }) => <Price value={price} quote="" />,
    },
    {
      ...{ key: "confidence", header: text.signalColumns.confidence, numeric: true, priority: "sm" },
      render: ({ confidence }) => <span title={text.confidenceHint}>{formatRate(confidence)}</span>,
    },
    {
      ...{ key: "outcome", header: text.signalColumns.outcome, className: "sm:ps-6" },
      render: (signal) => <Outcome signal={signal} />,
    },
  ];
  return (
    <Panel title={text.history} flush>
      {query.error === null ? null : (
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} busy={query.isFetching} className="m-4" />
      )}
      {query.error !== null && pages === undefined ? null : (
        <DataTable
          caption={text.historyCaption}
          rows={pages?.flatMap(({ items }) => items)}
          columns={columns}
          getKey={({ id }) => id}
          skeletonRows={6}
          empty={text.signalsEmpty}
        />
      )}
      <MoreButton query={query} label={text.historyMore} />
      <p className="px-4 py-2 text-xs text-muted">{text.signalsDisclaimer}</p>
    </Panel>
  );
}

type RecordRow = Answer<"getSignalRecords">["items"][number];

/** The record of each strategy on a market. */
export function StrategyRecords({ pair }: { pair: string }) {
  const { markets: text } = useMessages();
  const toName = useStrategyName();
  const { data, error, isFetching, refetch } = useQuery(signalRecords(pair));
  const columns: Column<RecordRow>[] = [
    {
      ...{ key: "strategy", header: text.signalColumns.strategy },
      render: ({ strategy, skill }) => (
        <span className="flex flex-col">
          <span className="font-semibold">{toName(strategy)}</span>
          <span className="text-xs">
            <Skill skill={skill} />
          </span>
        </span>
      ),
    },
    { key: "count", header: text.recordColumns.count, numeric: true, render: ({ resolved }) => resolved },
    {
      ...{ key: "hits", header: text.recordColumns.hits, numeric: true },
      render: ({ track_record }) => formatRate(track_record?.hit_rate ?? null),
    },
    {
      ...{ key: "mean", header: text.recordColumns.mean, numeric: true },
      render: ({ track_record }) => (track_record === null ? "—" : text.bps(formatBps(track_record.mean_return_bps))),
    },
  ];
  return (
    <Panel title={text.records} flush>
      {error === null ? (
        <DataTable
          caption={text.recordsCaption}
          rows={data?.items}
          columns={columns}
          getKey={({ strategy }) => strategy}
          skeletonRows={6}
          empty={text.signalsEmpty}
        />
      ) : (
        <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} className="m-4" />
      )}
    </Panel>
  );
}
