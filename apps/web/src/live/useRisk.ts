import type { RiskUpdate } from "@slipway/protocol/risk";
import { connectRisk } from "@slipway/sdk/connectRisk";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "../data/api.ts";
import { type Answer, readOptions } from "../data/queries.ts";
import { createRiskFeed, type RiskFeedState } from "./createRiskFeed.ts";
import { browserPage } from "./pageEvents.ts";

/** Between two requests of a page that has no stream. */
const pollMs = 30_000;

/** The stream of the page's own origin: no other server is asked, whatever the pair is. */
const getStreamUrl = () => `${window.location.origin.replace(/^http/, "ws")}/ws/risk`;

/** Keeps a query current by the stream, and says whether it does. */
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

/** What a query without a stream needs: it asks at once, and then again and again. What was private ends with the page. */
const withoutStream = (state: RiskFeedState, isEnabled: boolean) => ({
  enabled: isEnabled && state === "polling",
  refetchInterval: pollMs,
  gcTime: 0,
});

/** The risk of a pair is computed when it is first asked for: the next message of the stream would be half a minute away. */
const computingMs = 2_000;
const maxAsked = 5;

const isComputing = (update: RiskUpdate | undefined) => {
  if (update === undefined) return false;
  return "cards" in update ? update.cards.some(({ as_of }) => as_of === null) : update.snapshot.as_of === null;
};

/** Asks a few times for what is being computed; an error of it is no reason to show one. */
function useFirstComputation(pair: string | undefined, shown: object | undefined, isLive: boolean): void {
  const client = useQueryClient();
  const asked = useRef(0);
  useEffect(() => {
    if (!isLive || !isComputing(shown as RiskUpdate | undefined)) return;
    const timer = setInterval(() => {
      asked.current += 1;
      if (asked.current > maxAsked) return clearInterval(timer);
      const answer = pair === undefined ? api.listRisk() : api.getRisk({ pair });
      answer.then(
        (update) => store(client, pair, { event: "risk_update", refresh_seconds: 30, ...update }),
        () => undefined,
      );
    }, computingMs);
    return () => clearInterval(timer);
  }, [client, pair, shown, isLive]);
}

/** The risk of a pair and of its last hours. `isEnabled`: the account may read it. */
export function usePairRisk(pair: string, isEnabled: boolean) {
  const state = useRiskFeed(pair, isEnabled);
  const query = useQuery({ ...readOptions("getRisk", { pair }), ...withoutStream(state, isEnabled) });
  useFirstComputation(pair, query.data, state === "live");
  return { ...query, state };
}

/** The cards of all markets. */
export function useRiskCards(isEnabled: boolean) {
  const state = useRiskFeed(undefined, isEnabled);
  const query = useQuery({ ...readOptions("listRisk", undefined), ...withoutStream(state, isEnabled) });
  useFirstComputation(undefined, query.data, state === "live");
  return { ...query, state };
}
