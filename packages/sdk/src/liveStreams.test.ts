import { describe, expect, it } from "vitest";
import { ApiError } from "./apiError.ts";
import { connectLive, type LiveOptions, type WebSocketLike } from "./connectLive.ts";
import { leanStreamEvents } from "./leanStreamEvents.ts";
import type { LiveMessage } from "./resumeStream.ts";
import { streamEvents } from "./streamEvents.ts";

const address = "0x00000000000000000000000000000000000000Aa";

const retracted = (cursor: number) => ({
  type: "retracted" as const,
  cursor: String(cursor),
  data: { above_block: cursor, trades: [], launches: [], tokens: [address] },
});

const eventText = (cursor: number) =>
  `id: ${cursor}\nevent: retracted\ndata: ${JSON.stringify(retracted(cursor).data)}\n\n`;

const refusal = (code: string, status: number, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { code, message: "No.", request_id: "1", retryable: status >= 429 } }), {
    status,
    headers,
  });

/** Reads a number of messages from a stream and ends it. */
async function take(stream: AsyncGenerator<LiveMessage>, count: number): Promise<LiveMessage[]> {
  const taken: LiveMessage[] = [];
  for await (const message of stream) {
    taken.push(message);
    if (taken.length === count) break;
  }
  return taken;
}

describe.each([
  ["streamEvents", streamEvents],
  ["leanStreamEvents", leanStreamEvents],
])("%s", (_name, open) => {
  /** A stream whose connections get one response each, in order; records requests and waits. */
  function eventsAnswering(...answers: (string[] | Response)[]) {
    const asked: { url: string; lastEventId: string | null; signal: AbortSignal }[] = [];
    const waits: number[] = [];
    const cursors: string[] = [];
    const stream = open({
      onCursor: (cursor) => cursors.push(cursor),
      baseUrl: "https://launch.example/api/v1/launchpad/",
      token: address,
      interval: "5m",
      random: () => 0.5,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
      },
      fetch: async (url, init) => {
        const headers = new Headers(init?.headers);
        asked.push({ url: String(url), lastEventId: headers.get("last-event-id"), signal: init!.signal! });
        const answer = answers.shift() ?? refusal("not_found", 404);
        if (answer instanceof Response) return answer;
        const start = (controller: ReadableStreamDefaultController) => {
          for (const text of answer) controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        };
        return new Response(new ReadableStream({ start }));
      },
    });
    return { stream, asked, waits, cursors };
  }

  it("reads messages split at any byte, and ignores unknown ones", async () => {
    const text = `retry: 700\nid: 4\nevent: ready\ndata: {"cursor":"4"}\n\n${eventText(5)}: heartbeat\n\nid: 6\nevent: later\ndata: {}\n\n${eventText(7)}`;
    const { stream, asked } = eventsAnswering(text.match(/.{1,7}/gs)!);
    expect(await take(stream, 2)).toEqual([retracted(5), retracted(7)]);
    expect(asked[0]!.url).toBe(`https://launch.example/api/v1/launchpad/stream?token=${address}&interval=5m`);
    expect(asked[0]!.lastEventId).toBeNull();
    // Leaving the loop ends the connection.
    expect(asked[0]!.signal.aborted).toBe(true);
  });

  it("continues after the last id when a connection ends, and waits longer each time", async () => {
    const { stream, asked, waits } = eventsAnswering(
      ['id: 4\nevent: ready\ndata: {"cursor":"4"}\n\n'],
      refusal("index_unavailable", 503, { "retry-after": "2" }),
      refusal("overloaded", 503),
      [eventText(5)],
      [eventText(6)],
    );
    expect(await take(stream, 2)).toEqual([retracted(5), retracted(6)]);
    expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, "4", "4", "4", "5"]);
    // Half of 2, 4 and 8 s, but at least the requested wait; the sequence restarts after a success.
    expect(waits).toEqual([1_000, 4_000, 4_000, 1_000]);
  });

  it("reports each position after the reader has processed its message, and at the opening of a connection", async () => {
    const { stream, cursors } = eventsAnswering([
      'id: 4\nevent: ready\ndata: {"cursor":"4"}\n\n',
      eventText(5),
      eventText(6),
    ]);
    await stream.next();
    expect(cursors).toEqual(["4"]);
    await stream.next();
    expect(cursors).toEqual(["4", "5"]);
    await stream.return(undefined);
  });

  it("restarts without an expired cursor, and reports that messages are missing", async () => {
    const { stream, asked } = eventsAnswering([eventText(5)], refusal("cursor_expired", 400), [
      'id: 90\nevent: ready\ndata: {"cursor":"90"}\n\n',
      eventText(91),
    ]);
    const snapshot = { type: "snapshot", cursor: "90", data: { reason: "cursor_expired" } };
    expect(await take(stream, 3)).toEqual([retracted(5), snapshot, retracted(91)]);
    expect(asked.map(({ lastEventId }) => lastEventId)).toEqual([null, "5", null]);
  });

  it("throws an error that is not retryable", async () => {
    const { stream } = eventsAnswering(refusal("invalid_query", 400));
    await expect(stream.next()).rejects.toMatchObject({ code: "invalid_query", status: 400 });
  });

  it("ends when the signal aborts", async () => {
    const ended = new AbortController();
    const stream = open({
      baseUrl: "https://launch.example",
      signal: ended.signal,
      fetch: async (_url, init) =>
        await new Promise((_, reject) => {
          init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason as Error));
        }),
    });
    const next = stream.next();
    ended.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("connectLive", () => {
  /** The service's end of a WebSocket. */
  class Peer implements WebSocketLike {
    sent: unknown[] = [];
    closed = false;
    #listeners = new Map<string, ((event: never) => void)[]>();
    addEventListener(type: string, listener: (event: never) => void) {
      this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
    }
    emit(type: string, event: object = {}) {
      for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
    }
    emitMessages(...messages: object[]) {
      for (const message of messages) this.emit("message", { data: JSON.stringify(message) });
    }
    send(text: string) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.closed = true;
    }
  }

  const subscribed = (cursor: string) => ({
    ...{ type: "subscribed", channels: ["trades"], tokens: [address], interval: "1m", cursor, unavailable: [] },
  });

  /** Each script drives one connection. */
  function liveWith(scripts: ((peer: Peer) => void)[], more: Partial<LiveOptions> = {}) {
    const peers: Peer[] = [];
    const waits: number[] = [];
    const stream = connectLive({
      url: "wss://launch.example/ws",
      channels: ["trades"],
      tokens: [address],
      random: () => 0.5,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
      },
      webSocket: () => {
        const peer = new Peer();
        peers.push(peer);
        const script = scripts.shift();
        queueMicrotask(() => script?.(peer));
        return peer;
      },
      ...more,
    });
    return { stream, peers, waits };
  }

  it("subscribes, and continues after the last cursor, also of a heartbeat", async () => {
    const { stream, peers, waits } = liveWith([
      (peer) => {
        peer.emit("open");
        peer.emitMessages(
          subscribed("4"),
          retracted(5),
          { type: "heartbeat", cursor: "9" },
          { type: "of a later version" },
        );
        peer.emit("close", { code: 1001, reason: "" });
      },
      (peer) => {
        peer.emit("error");
        peer.emit("close", { code: 1006, reason: "" });
      },
      (peer) => {
        peer.emit("open");
        peer.emitMessages(subscribed("9"), retracted(10));
      },
    ]);
    expect(await take(stream, 2)).toEqual([retracted(5), retracted(10)]);
    const wanted = { type: "subscribe_live", channels: ["trades"], tokens: [address] };
    expect(peers.map(({ sent }) => sent)).toEqual([[wanted], [], [{ ...wanted, cursor: "9" }]]);
    expect(waits).toEqual([1_000, 2_000]);
    expect(peers[2]!.closed).toBe(true);
  });

  it.each([
    [4401, "unauthorized", 401],
    [4403, "plan_required", 403],
  ])("throws when it is closed with %i", async (code, error, status) => {
    const { stream } = liveWith([(peer) => peer.emit("close", { code, reason: "" })]);
    await expect(stream.next()).rejects.toMatchObject({ code: error, status });
  });

  it("throws a refused subscription, and restarts without an expired cursor", async () => {
    const error = (code: string) => ({ type: "error", error: { code, message: "No.", retryable: false } });
    const { stream, peers } = liveWith(
      [
        (peer) => {
          peer.emit("open");
          peer.emitMessages(error("cursor_expired"));
        },
        (peer) => {
          peer.emit("open");
          peer.emitMessages(subscribed("90"), error("invalid_fields"));
        },
      ],
      { cursor: "1" },
    );
    const snapshot = { type: "snapshot", cursor: "90", data: { reason: "cursor_expired" } };
    expect((await stream.next()).value).toEqual(snapshot);
    await expect(stream.next()).rejects.toBeInstanceOf(ApiError);
    expect(peers.map(({ sent }) => (sent[0] as { cursor?: string }).cursor)).toEqual(["1", undefined]);
    expect(peers.every(({ closed }) => closed)).toBe(true);
  });

  it("closes a connection that is faster than its reader, and continues at the reader's position", async () => {
    const { stream, peers } = liveWith([
      (peer) => {
        peer.emit("open");
        peer.emitMessages(...Array.from({ length: 12_000 }, (_, index) => retracted(index + 1)));
      },
      (peer) => {
        peer.emit("open");
        peer.emitMessages(retracted(10_002));
      },
    ]);
    const taken = await take(stream, 10_002);
    expect(taken.map(({ cursor }) => Number(cursor))).toEqual(Array.from({ length: 10_002 }, (_, index) => index + 1));
    expect(peers[1]!.sent).toMatchObject([{ cursor: "10001" }]);
  });

  it("closes a connection that sends an invalid message, and continues over another", async () => {
    const { stream, peers } = liveWith([
      (peer) => {
        peer.emit("open");
        peer.emitMessages(retracted(5));
        peer.emit("message", { data: "<html>" });
      },
      (peer) => {
        peer.emit("open");
        peer.emitMessages(retracted(6));
      },
    ]);
    expect(await take(stream, 2)).toEqual([retracted(5), retracted(6)]);
    expect(peers[0]!.closed).toBe(true);
  });

  it("ends when the signal aborts", async () => {
    const ended = new AbortController();
    const { stream, peers } = liveWith([], { signal: ended.signal });
    const next = stream.next();
    ended.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(peers[0]!.closed).toBe(true);
  });
});
