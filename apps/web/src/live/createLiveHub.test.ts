import { ApiError } from "@slipway/sdk/apiError";
import { applyMessage } from "@slipway/sdk/applyMessage";
import type { LiveMessage, StreamOptions } from "@slipway/sdk/leanStreamEvents";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { spyOnApi } from "../../../../tests/support/web/spyOnApi.ts";
import { readOptions } from "../data/queries.ts";
import { candlePages, tokenOptions } from "../data/tokenQueries.ts";
import { createLiveHub } from "./createLiveHub.ts";
import type { LiveTarget } from "./liveTargets.ts";
import type { PageEvents } from "./pageEvents.ts";

type LiveHub = ReturnType<typeof createLiveHub>;

const token = "0x00000000000000000000000000000000000000aa";
const row = { address: token, price_usd: 1, volume_24h_usd: 10, buys_24h: 1, sells_24h: 0 };
const list = (block_number: number, more: object = {}) =>
  ({ items: [{ ...row, ...more }], total: 1, quote: "usd", as_of: { block_number, timestamp: "" } }) as never;
const trade = (cursor: number, block_number: number): LiveMessage => ({
  type: "trade",
  cursor: String(cursor),
  data: { token, trade: { id: `0x${cursor}:0`, block_number, log_index: 0, side: "buy", volume_usd: 5 } as never },
});
const options = readOptions("listTokens", undefined);
const target: LiveTarget = { kind: "tokens", key: options.queryKey };

/** A connection that the test controls. */
type Connection = { options: StreamOptions; send: (message: LiveMessage) => void; fail: (error: Error) => void };

let client: QueryClient;
let hub: LiveHub;
let connections: Connection[];
let frames: (() => void)[];
let page: PageEvents & { hidden: boolean; online: boolean; on: Parameters<PageEvents["listen"]>[0] };

/** Waits for promises and for the short delay before a stream opens or changes. */
const settle = async () => {
  await vi.advanceTimersByTimeAsync(60);
};
const frame = () => {
  for (const callback of frames.splice(0)) callback();
};
const isEnded = (index: number) => connections[index]!.options.signal!.aborted;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  [connections, frames] = [[], []];
  page = {
    ...{ hidden: false, online: true, on: null as never },
    isHidden: () => page.hidden,
    isOnline: () => page.online,
    requestFrame: (callback) => void frames.push(callback),
    listen: (on) => {
      page.on = on;
      return () => undefined;
    },
  };
  const open = (streamOptions: StreamOptions): AsyncIterable<LiveMessage> => {
    const queue: LiveMessage[] = [];
    let wake = Promise.withResolvers<void>();
    let failure: Error | undefined;
    streamOptions.signal!.addEventListener("abort", () => wake.resolve());
    connections.push({
      options: streamOptions,
      send: (message) => {
        queue.push(message);
        wake.resolve();
      },
      fail: (error) => {
        failure = error;
        wake.resolve();
      },
    });
    return {
      async *[Symbol.asyncIterator]() {
        while (!streamOptions.signal!.aborted) {
          while (queue.length > 0) {
            const message = queue.shift()!;
            yield message;
            streamOptions.onCursor!(message.cursor);
          }
          if (failure) throw failure;
          await wake.promise;
          wake = Promise.withResolvers();
        }
      },
    };
  };
  hub = createLiveHub({ client, baseUrl: "/api", page, load: async () => ({ openStream: open, applyMessage }) });
});
afterEach(() => {
  hub.stop();
  client.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns a hub with an open stream. */
async function start(watched: LiveTarget = target): Promise<() => void> {
  page.on.onLoad();
  const end = hub.watch(watched);
  await settle();
  connections[0]!.options.onCursor!("1");
  await settle();
  return end;
}

describe("a tab's stream", () => {
  it("opens after the page loads, once for all watched queries, and closes when none remain", async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    const ends = [hub.watch(target), hub.watch(target)];
    await settle();
    expect(connections).toHaveLength(0);
    page.on.onLoad();
    expect(hub.getStatus()).toEqual({ state: "connecting" });
    await settle();
    expect(connections).toHaveLength(1);
    ends[0]!();
    await settle();
    expect(isEnded(0)).toBe(false);
    ends[1]!();
    await settle();
    expect(isEnded(0)).toBe(true);
    expect(hub.getStatus()).toEqual({ state: "off" });
  });

  it("refetches queries that were read before it opened, because messages may be missing", async () => {
    const listTokens = spyOnApi("listTokens").mockResolvedValue(list(1));
    await client.fetchQuery(options);
    await start();
    expect(listTokens).toHaveBeenCalledTimes(2);
    expect(hub.getStatus()).toEqual({ state: "live" });
  });

  it("reads a query again that starts with the data of another query after it opened", async () => {
    const listTokens = spyOnApi("listTokens").mockResolvedValue(list(2));
    await start();
    expect(listTokens).not.toHaveBeenCalled();
    const observer = new QueryObserver(client, { ...options, initialData: list(1), staleTime: Infinity });
    const end = observer.subscribe(() => undefined);
    await settle();
    expect(listTokens).toHaveBeenCalledTimes(1);
    expect(client.getQueryData(options.queryKey)).toEqual(list(2));
    end();
  });

  it("reads a query again whose first request is still in progress when it opens", async () => {
    const answers = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
    const listTokens = spyOnApi("listTokens");
    for (const { promise } of answers) listTokens.mockReturnValueOnce(promise);
    const first = client.fetchQuery(options);
    await start();
    expect(listTokens).toHaveBeenCalledTimes(1);
    // This answer can be older than the stream.
    answers[0]!.resolve(list(1));
    await first;
    await settle();
    expect(listTokens).toHaveBeenCalledTimes(2);
    answers[1]!.resolve(list(2));
    await settle();
    expect(client.getQueryData(options.queryKey)).toEqual(list(2));
    await settle();
    expect(listTokens).toHaveBeenCalledTimes(2);
  });

  it("reads a query once whose first request fails and is repeated while it is open", async () => {
    const answer = Promise.withResolvers<never>();
    const listTokens = spyOnApi("listTokens").mockReturnValueOnce(answer.promise);
    const first = client.fetchQuery(options).catch(() => "failed");
    await start();
    answer.reject(new Error("broken"));
    expect(await first).toBe("failed");
    listTokens.mockResolvedValue(list(1));
    await client.fetchQuery(options);
    await settle();
    expect(listTokens).toHaveBeenCalledTimes(2);
  });

  it("covers one token on its page, and continues at the cursor when the page changes", async () => {
    spyOnApi("getToken").mockResolvedValue({ address: token } as never);
    spyOnApi("listTokenCandles").mockResolvedValue({ items: [], next_before: null } as never);
    const end = await start();
    connections[0]!.send(trade(7, 1));
    await settle();
    end();
    hub.watch({ kind: "token", token, key: tokenOptions(token).queryKey });
    hub.watch({ kind: "candles", token, interval: "5m", paged: true, key: candlePages(token, "5m").queryKey });
    await settle();
    expect(connections).toHaveLength(2);
    expect(isEnded(0)).toBe(true);
    expect(connections[1]!.options).toMatchObject({ token, interval: "5m", cursor: "7" });
  });

  it("continues after the last received message, also if it is replaced at that moment", async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    await start();
    const { options: first, send } = connections[0]!;
    // The page changes before the reader requests the next message.
    first.onCursor = () => undefined;
    send(trade(9, 9));
    await settle();
    hub.watch({ kind: "token", token, key: tokenOptions(token).queryKey });
    page.on.onOnline();
    expect(connections.at(-1)!.options.cursor).toBe("9");
  });

  it("closes 30 seconds after the tab is hidden, and continues at its cursor", async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    await start();
    page.hidden = true;
    page.on.onVisibility();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(isEnded(0)).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isEnded(0)).toBe(true);
    page.hidden = false;
    page.on.onVisibility();
    expect(connections[1]!.options.cursor).toBe("1");
  });

  it("stays open if the tab is hidden for a moment", async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    await start();
    page.hidden = true;
    page.on.onVisibility();
    await vi.advanceTimersByTimeAsync(10_000);
    page.hidden = false;
    page.on.onVisibility();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isEnded(0)).toBe(false);
    expect(connections).toHaveLength(1);
  });
});

describe("the status", () => {
  beforeEach(async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    await start();
  });
  const retry = (error: unknown) => connections[0]!.options.onRetry!({ attempt: 1, delayMs: 1, error });
  const code = (name: "index_unavailable" | "overloaded") =>
    new ApiError({
      ...{ code: name, message: "No.", status: 503, requestId: null, retryable: true, retryAfterSeconds: null },
    });

  it("is paused at once if the index is not current, and live again at the next cursor", () => {
    const now = Date.now();
    retry(code("index_unavailable"));
    expect(hub.getStatus()).toEqual({ state: "paused", asOf: now });
    connections[0]!.options.onCursor!("2");
    expect(hub.getStatus()).toEqual({ state: "live" });
  });

  it("is paused 45 seconds after a connection loss, as of the loss", async () => {
    const lost = Date.now();
    retry(code("overloaded"));
    await vi.advanceTimersByTimeAsync(44_999);
    expect(hub.getStatus()).toEqual({ state: "live" });
    await vi.advanceTimersByTimeAsync(1);
    expect(hub.getStatus()).toEqual({ state: "paused", asOf: lost });
  });

  it("is paused as of 45 seconds ago if the stream ended after silence", () => {
    retry(new Error("the stream sends no messages"));
    expect(hub.getStatus()).toEqual({ state: "paused", asOf: Date.now() - 45_000 });
  });

  it("is paused at once without a network, and reconnects when the network is back", async () => {
    page.on.onOffline();
    expect(hub.getStatus().state).toBe("paused");
    page.on.onOnline();
    expect(connections).toHaveLength(2);
    connections[1]!.options.onCursor!("3");
    expect(hub.getStatus()).toEqual({ state: "live" });
  });

  it("is paused if the stream is refused, and retries later", async () => {
    connections[0]!.fail(new Error("token_not_indexed"));
    await settle();
    expect(hub.getStatus().state).toBe("paused");
    await vi.advanceTimersByTimeAsync(15_000);
    expect(connections).toHaveLength(2);
  });
});

describe("messages", () => {
  it("are applied together, once a frame", async () => {
    spyOnApi("listTokens").mockResolvedValue(list(1));
    await client.fetchQuery(options);
    await start();
    const changes: unknown[] = [];
    client.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "success") changes.push(event.action.data);
    });
    const received: string[] = [];
    hub.onMessage(({ cursor }) => received.push(cursor));
    for (const cursor of [2, 3, 4]) connections[0]!.send(trade(cursor, cursor));
    await settle();
    expect([changes.length, frames.length]).toEqual([0, 1]);
    frame();
    expect(changes).toHaveLength(1);
    expect(received).toEqual(["2", "3", "4"]);
    expect(client.getQueryData(options.queryKey)!.items[0]).toMatchObject({ volume_24h_usd: 25, buys_24h: 4 });
  });

  it("that arrive during a fetch are applied to the response again, which may be older", async () => {
    const answers = [list(1), list(1)];
    spyOnApi("listTokens").mockImplementation(async () => answers.shift()!);
    await client.fetchQuery(options);
    await start();
    const slow = Promise.withResolvers<never>();
    spyOnApi("listTokens").mockReturnValue(slow.promise);
    const refetch = client.refetchQueries({ queryKey: options.queryKey });
    connections[0]!.send(trade(2, 2));
    await settle();
    frame();
    slow.resolve(list(1));
    await refetch;
    await settle();
    expect(client.getQueryData(options.queryKey)!.items[0]).toMatchObject({ volume_24h_usd: 15 });
  });

  it("that do not contain all figures cause one refetch some seconds later, for any number of messages", async () => {
    const listTokens = spyOnApi("listTokens").mockResolvedValue(list(1));
    await client.fetchQuery(options);
    await start();
    const before = listTokens.mock.calls.length;
    for (const cursor of [2, 3, 4]) {
      connections[0]!.send(trade(cursor, cursor));
      await settle();
      frame();
    }
    expect(listTokens).toHaveBeenCalledTimes(before);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(listTokens).toHaveBeenCalledTimes(before + 1);
  });

  it("of a retraction cause a refetch at once, and its response is kept although its block is lower", async () => {
    const listTokens = spyOnApi("listTokens").mockResolvedValue(list(9));
    await client.fetchQuery(options);
    await start();
    const before = listTokens.mock.calls.length;
    listTokens.mockResolvedValue(list(4, { volume_24h_usd: 2 }));
    const data = { above_block: 8, trades: ["0x1:0"], launches: [], tokens: [token] };
    connections[0]!.send({ type: "retracted", cursor: "2", data });
    await settle();
    frame();
    await settle();
    expect(listTokens).toHaveBeenCalledTimes(before + 1);
    expect(client.getQueryData(options.queryKey)!.items[0]).toMatchObject({ volume_24h_usd: 2 });
  });
});
