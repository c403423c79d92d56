import type { RiskUpdate } from "@slipway/protocol/risk";
import { connectRisk, type RiskOptions } from "@slipway/sdk/connectRisk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRiskFeed, type RiskFeedState } from "./createRiskFeed.ts";
import type { PageEvents } from "./pageEvents.ts";

type Connection = Pick<RiskOptions, "onMessage" | "onEnd"> & { isClosed: boolean };

let connections: Connection[];
let states: RiskFeedState[];
let updates: RiskUpdate[];
let hidden: boolean;
let page: PageEvents & { on: Parameters<PageEvents["listen"]>[0] };
let feed: { stop(): void };
const update = { event: "risk_update", refresh_seconds: 30, cards: [] } satisfies RiskUpdate;

beforeEach(() => {
  vi.useFakeTimers();
  [connections, states, updates, hidden] = [[], [], [], false];
  page = {
    on: null as never,
    isHidden: () => hidden,
    isOnline: () => true,
    requestFrame: () => undefined,
    listen: (on) => {
      page.on = on;
      return () => undefined;
    },
  };
  feed = createRiskFeed({
    connect: (on) => {
      const connection = { ...on, isClosed: false };
      connections.push(connection);
      return {
        close: () => {
          connection.isClosed = true;
        },
      };
    },
    page,
    onUpdate: (each) => updates.push(each),
    onState: (state) => states.push(state),
  });
});
afterEach(() => {
  feed.stop();
  vi.useRealTimers();
});

describe("createRiskFeed", () => {
  it("is live from its first message, and polls after its end until the next message", async () => {
    connections[0]!.onMessage(update);
    expect([states.at(-1), updates]).toEqual(["live", [update]]);
    connections[0]!.onEnd();
    expect(states.at(-1)).toBe("polling");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(connections).toHaveLength(2);
    connections[1]!.onMessage(update);
    expect(states.at(-1)).toBe("live");
  });

  it("retries a refusing service at growing intervals", async () => {
    const attempts: number[] = [];
    for (let minute = 0; minute < 10; minute += 1) {
      const until = Date.now() + 60_000;
      while (Date.now() < until) {
        const last = connections.at(-1)!;
        if (!last.isClosed) last.onEnd();
        await vi.advanceTimersByTimeAsync(1_000);
      }
      attempts.push(connections.length);
    }
    expect(attempts[0]).toBeLessThanOrEqual(7);
    expect(attempts[9]! - attempts[8]!).toBeLessThanOrEqual(2);
  });

  it("closes a connection that is silent or never opens", async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    expect([states.at(-1), connections[0]!.isClosed]).toEqual(["polling", true]);
    await vi.advanceTimersByTimeAsync(2_000);
    connections[1]!.onMessage(update);
    await vi.advanceTimersByTimeAsync(74_000);
    expect(connections[1]!.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([states.at(-1), connections[1]!.isClosed]).toEqual(["polling", true]);
    connections[1]!.onMessage(update);
    expect(updates).toHaveLength(1);
  });

  it("closes while the page is hidden, and opens when the page is visible again", async () => {
    connections[0]!.onMessage(update);
    hidden = true;
    page.on.onVisibility();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(connections[0]!.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(connections[0]!.isClosed).toBe(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connections).toHaveLength(1);
    hidden = false;
    page.on.onVisibility();
    expect(connections).toHaveLength(2);
    feed.stop();
    expect(connections[1]!.isClosed).toBe(true);
  });
});

describe("connectRisk", () => {
  it("C10-52 ignores data that are not messages of the stream, and reports its end once", () => {
    const listeners = new Map<string, (event: never) => void>();
    const seen: unknown[] = [];
    const urls: string[] = [];
    connectRisk({
      ...{ url: "wss://slipway.example/ws/risk", pair: "BTC_USDT" },
      onMessage: (message) => seen.push(message),
      onEnd: () => seen.push("end"),
      webSocket: (url) => {
        urls.push(url);
        const on = (type: string, listener: (event: never) => void) => void listeners.set(type, listener);
        return { send: () => undefined, close: () => undefined, addEventListener: on };
      },
    });
    for (const data of ["", "{", "null", "[]", '{"event":"other"}', "7", new ArrayBuffer(8)]) {
      listeners.get("message")!({ data } as never);
    }
    listeners.get("message")!({ data: JSON.stringify(update) } as never);
    listeners.get("close")!({} as never);
    listeners.get("error")!({} as never);
    listeners.get("message")!({ data: JSON.stringify(update) } as never);
    expect([urls, seen]).toEqual([["wss://slipway.example/ws/risk?pair=BTC_USDT"], [update, "end"]]);
  });
});
