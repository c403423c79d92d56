import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../../data/queries.ts";
import { formatCount, formatUsd, unknown } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Figure } from "../../ui/figure.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** The 24-hour figures. After a failed read they show as unknown; the list on the same page shows the error. */
export function SiteFigures() {
  const { explore } = useMessages();
  const { data, isError } = useQuery({ ...readOptions("getAnalytics", undefined), refetchInterval: 30_000 });
  const figures = [
    [explore.volume, data && formatUsd(data.volume_usd_24h)],
    [explore.trades, data && formatCount(data.trades_24h)],
    [explore.traders, data && formatCount(data.traders_24h)],
    [explore.launches, data && formatCount(data.launches_total)],
    [explore.toCreators, data && formatUsd(data.fees_collaborators_usd)],
  ] as const;
  return (
    <dl
      aria-label={explore.figures}
      className="grid w-full grid-cols-3 items-end gap-x-4 sm:flex sm:gap-x-6 sm:w-auto sm:flex-wrap"
    >
      {figures.map(([name, value], index) => (
        <Figure key={name} name={name} className={index > 2 ? "max-sm:hidden" : ""}>
          {value ?? (isError ? unknown : <Skeleton className="h-6 w-20" />)}
        </Figure>
      ))}
    </dl>
  );
}
