import type { ListedInterval } from "@slipway/protocol/indexed";
import type { LiveMessage } from "@slipway/sdk/leanStreamEvents";
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from "react";
import { getKey, type Input, pageOptions } from "../data/queries.ts";
import { candlePages, isStreamed, tokenOptions, tradePages } from "../data/tokenQueries.ts";
import type { LiveHub } from "./createLazyHub.ts";
import type { LiveStatus } from "./liveStatus.ts";
import type { LiveTarget } from "./liveTargets.ts";

const LiveContext = createContext<LiveHub | null>(null);

/** Provides the tab's live hub, which main.tsx creates. */
export const LiveProvider = LiveContext.Provider;

function useHub(): LiveHub {
  const hub = useContext(LiveContext);
  if (hub === null) throw new Error("LiveContext is missing: main.tsx provides it.");
  return hub;
}

/** Returns whether the shown data are current. While paused, values are grey and trading is disabled. */
export function useLiveStatus(): LiveStatus {
  const hub = useHub();
  return useSyncExternalStore(hub.subscribe, hub.getStatus, hub.getStatus);
}

/** Calls `listener` with every message of the stream, e.g. to detect the retraction of a trade. */
export function useLiveMessages(listener: (message: LiveMessage) => void): void {
  const hub = useHub();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => hub.onMessage((message) => latest.current(message)), [hub]);
}

/** Keeps queries current while the component is mounted. */
function useLiveTargets(targets: readonly LiveTarget[]): void {
  const hub = useHub();
  const text = JSON.stringify(targets);
  useEffect(() => {
    const ends = (JSON.parse(text) as LiveTarget[]).map((target) => hub.watch(target));
    return () => {
      for (const end of ends) end();
    };
  }, [hub, text]);
}

/**
 * Keeps a token list current: `useQuery(readOptions("listTokens", input))` changes with every trade.
 *
 * @param isLive - False keeps the list as it was read.
 */
export function useLiveList(input: Input<"listTokens">, isLive = true): void {
  useLiveTargets(isLive ? [{ kind: "tokens", key: getKey("listTokens", input) }] : []);
}

/**
 * Keeps a token current: its detail, its candles of one interval, and its trades.
 *
 * @param isKnown - False until the detail loads: a token that is not indexed has no stream.
 */
export function useLiveToken(address: string, interval: ListedInterval, isKnown: boolean): void {
  const token = address;
  const targets: LiveTarget[] = [
    { kind: "token", token, key: tokenOptions(address).queryKey },
    ...(isStreamed(interval)
      ? [{ kind: "candles", token, interval, paged: true, key: candlePages(address, interval).queryKey } as const]
      : []),
    { kind: "trades", token, paged: true, key: tradePages(address).queryKey },
  ];
  useLiveTargets(isKnown ? targets : []);
}

/**
 * Keeps an opening and its deposits current.
 *
 * @param isKnown - False until the opening loads: one that is not indexed has no stream.
 */
export function useLiveOpening(input: Input<"getOpening">, isKnown: boolean): void {
  const { address } = input;
  const target = { kind: "opening", token: address, opening: address } as const;
  const targets: LiveTarget[] = [
    { ...target, key: getKey("getOpening", input) },
    { ...target, paged: true, key: pageOptions("listOpeningDeposits", { address }).queryKey },
  ];
  useLiveTargets(isKnown ? targets : []);
}
