import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { readOptions } from "../data/queries.ts";
import { Playground } from "../features/forecast/playground.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { SignInFirst } from "../session/signInFirst.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { MarketsNav } from "./marketsNav.tsx";

const route = getRouteApi("/forecast");

/** The forecast of a series, which costs credits. */
export function ForecastPage() {
  const { forecast: text } = useMessages();
  const { pair } = route.useSearch();
  const { data, error, isFetching, refetch } = useQuery(readOptions("getForecastInfo", undefined));
  return (
    <div className="page">
      <MarketsNav />
      <PageHead title={text.title} lead={text.lead} />
      {error !== null ? (
        <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : data === undefined ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <div className="flex max-w-full flex-col gap-3">
          <p className="text-sm text-muted">{text.signInBody(data.credits)}</p>
          <SignInFirst action={text.signIn}>
            <Playground info={data} pair={pair} />
          </SignInFirst>
        </div>
      )}
    </div>
  );
}
