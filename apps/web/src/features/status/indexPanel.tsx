import type { IndexAnalytics } from "@slipway/protocol/indexed";
import { formatCount } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Figure } from "../../ui/figure.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

/** The progress and coverage of the index. */
export function IndexPanel({ analytics }: { analytics: IndexAnalytics | undefined }) {
  const { status } = useMessages();
  const coverage = analytics?.coverage;
  const figures = [
    [status.indexed, coverage && formatCount(coverage.to_block)],
    [status.head, coverage && formatCount(coverage.head_block)],
    [status.lag, coverage && status.lagSeconds(coverage.lag_seconds)],
    [status.asOf, analytics && <Time value={analytics.as_of.timestamp} />],
  ] as const;
  return (
    <section aria-labelledby="index" className="panel flex flex-col gap-4 p-4">
      <h2 id="index" className="text-base font-bold">
        {status.index}
      </h2>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <Figure key={name} name={name}>
            {value ?? <Skeleton className="h-6 w-16" />}
          </Figure>
        ))}
      </dl>
      {coverage ? (
        <Notice
          tone={coverage.complete ? "success" : "warning"}
          title={`${status.coverage}: ${coverage.complete ? status.complete : status.incomplete}`}
        >
          {status.covered(formatCount(coverage.from_block), formatCount(coverage.to_block))}
        </Notice>
      ) : (
        <Skeleton className="h-16 w-full" />
      )}
    </section>
  );
}
