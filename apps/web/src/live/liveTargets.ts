import type { CandleInterval, IndexedTrades } from "@slipway/protocol/indexed";
import type { applyMessage, LiveView } from "@slipway/sdk/applyMessage";
import type { LiveMessage } from "@slipway/sdk/leanStreamEvents";
import { hashKey, type InfiniteData, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { withoutBlock } from "../data/isOlder.ts";

/** A query that messages keep current. With `paged`, messages change its first page. */
export type LiveTarget = { key: QueryKey; paged?: boolean } & (
  | { kind: "tokens" }
  | { kind: "token" | "trades"; token: string }
  | { kind: "candles"; token: string; interval: CandleInterval }
  // The stream selects an opening like a token.
  | { kind: "opening"; token: string; opening: string }
);

/** A target's watchers, the messages during its fetch, and its refetches. */
type Watched = {
  target: LiveTarget;
  watchers: number;
  /** Messages since the request; null if no request is in progress. */
  sinceRequest: LiveMessage[] | null;
  /** Whether to read again after the request in progress, because its response may lack a change. */
  isOutdated: boolean;
  refetch: ReturnType<typeof setTimeout> | undefined;
};

/**
 * Trades of the first page. Without older pages, new trades push out old ones at `tradeLimit`; with older pages, these
 * are dropped after `maxTrades`.
 */
const [tradeLimit, maxTrades] = [50, 500];

/** Delay before figures that no message contains are read again; random up to twice this, to spread the requests. */
const laterMs = { token: 4_000, tokens: 10_000, trades: 4_000, candles: 4_000, opening: 500 } as const;

type Paged = InfiniteData<LiveView["data"]>;

function withFirstPage(kind: LiveTarget["kind"], stored: Paged, data: LiveView["data"]): Paged {
  if (kind === "trades") {
    const trades = data as IndexedTrades;
    if (trades.items.length > maxTrades) {
      const items = trades.items.slice(0, tradeLimit);
      const page: IndexedTrades = { items, next_before: items.at(-1)!.id };
      return { pages: [page], pageParams: stored.pageParams.slice(0, 1) };
    }
  }
  return { ...stored, pages: stored.pages.with(0, data) };
}

/**
 * Applies messages to the query cache. Messages that arrive during a fetch are applied again to its response, which may
 * be older than the messages.
 *
 * @param onInitialData - Called when a component shows a target whose data are of another query: they may be older than the
 *   stream.
 */
export function createLiveTargets(
  client: QueryClient,
  apply: typeof applyMessage,
  onInitialData: (target: LiveTarget) => void = () => {},
) {
  const all = new Map<string, Watched>();

  const refetch = (watched: Watched) => {
    clearTimeout(watched.refetch);
    watched.refetch = undefined;
    const state = client.getQueryState(watched.target.key);
    if (state?.data === undefined && state?.fetchStatus === "fetching") {
      // TanStack Query returns a first request that is in progress, and sends no second one.
      watched.isOutdated = true;
      return;
    }
    watched.sinceRequest = [];
    void client.refetchQueries({ queryKey: watched.target.key, exact: true });
  };
  const refetchLater = (watched: Watched) => {
    const delay = laterMs[watched.target.kind] * (1 + Math.random());
    watched.refetch ??= setTimeout(() => refetch(watched), delay);
  };

  /** Applies messages to a target's data; true if the query must be read again now. */
  const applyTo = (watched: Watched, messages: readonly LiveMessage[]): boolean => {
    const { target } = watched;
    const isPaged = target.paged === true;
    const stored = client.getQueryData<LiveView["data"] | Paged>(target.key);
    if (stored === undefined) return false;
    const pages = isPaged ? (stored as Paged).pages : [stored as LiveView["data"]];
    const [first] = pages;
    if (first === undefined) return false;
    const limit = target.kind === "trades" && pages.length === 1 ? tradeLimit : Infinity;
    let [data, isUrgent] = [first, false];
    for (const message of messages) {
      const applied = apply({ ...target, limit, data } as LiveView, message);
      data = applied.refetch === "now" ? withoutBlock(applied.data) : applied.data;
      isUrgent ||= applied.refetch === "now";
      if (applied.refetch === "later") refetchLater(watched);
    }
    if (data !== first)
      client.setQueryData(target.key, isPaged ? withFirstPage(target.kind, stored as Paged, data) : data);
    return isUrgent;
  };

  const unsubscribe = client.getQueryCache().subscribe((event) => {
    const watched = all.get(event.query.queryHash);
    if (watched === undefined) return;
    if (event.type === "observerAdded") {
      const { data, dataUpdateCount } = event.query.state;
      if (data !== undefined && dataUpdateCount === 0) onInitialData(watched.target);
    }
    if (event.type !== "updated") return;
    if (event.action.type === "fetch") {
      watched.sinceRequest = [];
      watched.isOutdated = false;
    }
    if (event.action.type === "error") watched.sinceRequest = null;
    if (event.action.type !== "success" || event.action.manual) return;
    const missed = watched.sinceRequest ?? [];
    watched.sinceRequest = null;
    // After the notification: otherwise its listeners would get the two results in the wrong order.
    if (watched.isOutdated) queueMicrotask(() => refetch(watched));
    if (missed.length > 0) queueMicrotask(() => applyTo(watched, missed));
  });

  return {
    /** The targets that the page shows. */
    get shown(): LiveTarget[] {
      return [...all.values()].map(({ target }) => target);
    },
    add(target: LiveTarget): void {
      const hash = hashKey(target.key);
      const entry = all.get(hash);
      if (entry) entry.watchers++;
      else all.set(hash, { target, watchers: 1, sinceRequest: null, isOutdated: false, refetch: undefined });
    },
    remove(target: LiveTarget): void {
      const hash = hashKey(target.key);
      const watched = all.get(hash);
      if (watched === undefined || --watched.watchers > 0) return;
      clearTimeout(watched.refetch);
      all.delete(hash);
    },
    apply(messages: readonly LiveMessage[]): void {
      for (const watched of all.values()) {
        watched.sinceRequest?.push(...messages);
        if (applyTo(watched, messages)) refetch(watched);
      }
    },
    /** Reads the targets again, because messages may have been missed. */
    refetchAll(targets: readonly LiveTarget[]): void {
      for (const target of targets) {
        const watched = all.get(hashKey(target.key));
        if (watched) refetch(watched);
      }
    },
    stop(): void {
      unsubscribe();
      for (const { refetch: timer } of all.values()) clearTimeout(timer);
      all.clear();
    },
  };
}
