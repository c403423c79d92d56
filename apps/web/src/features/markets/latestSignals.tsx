import type { SignalOut } from "@slipway/protocol/signals";
import { useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/dataTable.tsx";
import { Price } from "../../ui/price.tsx";
import { formatRate } from "./figures.ts";
import { PairLink } from "./marketName.tsx";
import { Direction, SignalRecord, useStrategyName, Validity } from "./signalParts.tsx";

/** Signals shown before the user expands the list. */
const shownFirst = 8;

/** The newest signal of each strategy on each market. Each signal has its record beside it. */
export function LatestSignals({ signals }: { signals: readonly SignalOut[] | undefined }) {
  const { markets: text } = useMessages();
  const toName = useStrategyName();
  const [isAll, setAll] = useState(false);
  const columns: Column<SignalOut>[] = [
    {
      ...{ key: "market", header: text.signalColumns.market },
      render: ({ pair, strategy }) => (
        <span className="flex flex-col">
          <PairLink pair={pair} />
          <span className="text-xs text-muted md:hidden">{toName(strategy)}</span>
        </span>
      ),
    },
    {
      ...{ key: "direction", header: text.signalColumns.direction },
      render: ({ direction }) => <Direction direction={direction} />,
    },
    {
      ...{ key: "strategy", header: text.signalColumns.strategy, priority: "md" },
      render: ({ strategy }) => toName(strategy),
    },
    {
      ...{ key: "price", header: text.signalColumns.price, numeric: true, priority: "sm" },
      render: ({ price }) => <Price value={price} quote="" />,
    },
    {
      ...{ key: "valid", header: text.signalColumns.valid, priority: "lg", className: "lg:ps-8" },
      render: (signal) => <Validity signal={signal} />,
    },
    {
      ...{ key: "confidence", header: text.signalColumns.confidence, numeric: true, priority: "md" },
      render: ({ confidence }) => <span title={text.confidenceHint}>{formatRate(confidence)}</span>,
    },
    {
      ...{ key: "record", header: text.signalColumns.record, className: "md:ps-8" },
      render: ({ skill, track_record }) => <SignalRecord skill={skill} record={track_record} />,
    },
  ];
  const count = signals?.length ?? 0;
  return (
    <>
      <DataTable
        caption={text.signalsCaption}
        rows={isAll ? signals : signals?.slice(0, shownFirst)}
        columns={columns}
        getKey={({ id }) => id}
        skeletonRows={shownFirst}
        empty={text.signalsEmpty}
      />
      {count > shownFirst ? (
        <div className="p-3 text-center">
          <Button size="sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? text.signalsShowFewer : text.signalsShowAll(count)}
          </Button>
        </div>
      ) : null}
    </>
  );
}
