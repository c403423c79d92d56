import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { useLiveList, useLiveMessages } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { TokenTable } from "./tokenTable.tsx";

const input = { sort: "new", limit: 50 } as const;

/** New pairs as they launch. While paused, rows stay in place and a counter shows how many wait. */
export function NewPairs({ stale }: { stale: boolean }) {
  const { explore, tokenList: text } = useMessages();
  const client = useQueryClient();
  const options = readOptions("listTokens", input);
  const { data, error, isFetching, refetch } = useQuery(options);
  useLiveList(input);
  const [frozen, setFrozen] = useState<typeof data>(undefined);
  const [waiting, setWaiting] = useState(0);
  const isPaused = frozen !== undefined;
  useLiveMessages((message) => {
    if (message.type !== "launch") return;
    if (isPaused) setWaiting(waiting + 1);
    else void client.invalidateQueries({ queryKey: options.queryKey });
  });
  const toggle = () => {
    setWaiting(0);
    setFrozen(isPaused ? undefined : data);
    if (isPaused) void refetch();
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted" role="status">
          {isPaused ? text.paused(waiting) : text.live}
        </p>
        <Button size="sm" aria-pressed={isPaused} onClick={toggle} disabled={data === undefined}>
          {isPaused ? text.resume : text.pause}
        </Button>
      </div>
      {error === null ? null : <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />}
      <div className="panel overflow-hidden">
        <TokenTable tokens={frozen ?? data} stale={stale || error !== null} empty={explore.newestEmpty} />
      </div>
    </div>
  );
}
