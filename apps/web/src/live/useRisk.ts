import type { RiskUpdate } from "@slipway/protocol/risk";
import { connectRisk } from "@slipway/sdk/connectRisk";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "../data/api.ts";
import { type Answer, readOptions } from "../data/queries.ts";
import { createRiskFeed, type RiskFeedState } from "./createRiskFeed.ts";
import { browserPage } from "./pageEvents.ts";

/** Milliseconds between requests of a page without a stream. */
const pollMs = 30_000;

/** Returns the stream's URL. It always has the page's own origin, for any pair. */
const getStreamUrl = () => `${window.location.origin.replace(/^http/, "ws")}/ws/risk`;

/** Updates a query from the stream; returns the state of the stream. */
function useRiskFeed(pair: string | undefined, isEnabled: boolean): RiskFeedState {
  const client = useQueryClient();
  const [state, setState] = useState<RiskFeedState>("connecting");
  useEffect(() => {
    if (!isEnabled) return;
    const { stop } = createRiskFeed({
      connect: (on) => connectRisk({ url: getStreamUrl(), pair, ...on }),
      page: browserPage,
      onUpdate: (update) => store(client, pair, update),
      onState: setState,
    });
    return stop;
  }, [client, pair, isEnabled]);
  return state;
}

function store(client: QueryClient, pair: string | undefined, update: RiskUpdate): void {
  if ("cards" in update) {
    if (pair !== undefined) return;
    const { cards } = update;
    client.setQueryData<Answer<"listRisk">>(readOptions("listRisk", undefined).queryKey, (shown) => ({
      disclaimer: "",
      ...shown,
      cards,
    }));
  } else if (update.snapshot.pair === pair) {
    const { snapshot, history } = update;
    client.setQueryData(readOptions("getRisk", { pair }).queryKey, { snapshot, history });
  }
}

/** Query options without a stream: reads at once, then polls. The private data leave the cache with the page. */
const withoutStream = (state: RiskFeedState, isEnabled: boolean) => ({
  enabled: isEnabled && state === "polling",
  refetchInterval: pollMs,
  gcTime: 0,
});

/** Delay between reads during a pair's first computation; the stream's next message could be 30 seconds away. */
const computingMs = 2_000;
const maxReads = 5;

const isComputing = (update: RiskUpdate | undefined) => {
  if (update === undefined) return false;
  return "cards" in update ? update.cards.some(({ as_of }) => as_of === null) : update.snapshot.as_of === null;
};

/** Polls a few times during the first computation. Ignores errors. */
function useFirstComputation(pair: string | undefined, shown: object | undefined, isLive: boolean): void {
  const client = useQueryClient();
  const reads = useRef(0);
  useEffect(() => {
    if (!isLive || !isComputing(shown as RiskUpdate | undefined)) return;
    const timer = setInterval(() => {
      reads.current += 1;
      if (reads.current > maxReads) return clearInterval(timer);
      const answer = pair === undefined ? api.listRisk() : api.getRisk({ pair });
      answer.then(
        (update) => store(client, pair, { event: "risk_update", refresh_seconds: 30, ...update }),
        () => undefined,
      );
    }, computingMs);
    return () => clearInterval(timer);
  }, [client, pair, shown, isLive]);
}

/** Returns the risk of a pair and its latest hours. `isEnabled`: whether the account may read risk. */
export function usePairRisk(pair: string, isEnabled: boolean) {
  const state = useRiskFeed(pair, isEnabled);
  const query = useQuery({ ...readOptions("getRisk", { pair }), ...withoutStream(state, isEnabled) });
  useFirstComputation(pair, query.data, state === "live");
  return { ...query, state };
}

/** Returns the risk cards of all markets. */
export function useRiskCards(isEnabled: boolean) {
  const state = useRiskFeed(undefined, isEnabled);
  const query = useQuery({ ...readOptions("listRisk", undefined), ...withoutStream(state, isEnabled) });
  useFirstComputation(undefined, query.data, state === "live");
  return { ...query, state };
}
