import type { applyMessage } from "@slipway/sdk/applyMessage";
import type { LiveMessage } from "@slipway/sdk/leanStreamEvents";
import { hashKey, type QueryClient } from "@tanstack/react-query";
import { importFile } from "../ui/importFile.ts";
import { createLiveStatus } from "./createLiveStatus.ts";
import { createTabStream, type OpenStream, type Selection } from "./createTabStream.ts";
import type { LiveStatus } from "./liveStatus.ts";
import { createLiveTargets, type LiveTarget } from "./liveTargets.ts";
import type { PageEvents } from "./pageEvents.ts";

/** A hidden tab closes its connection after this time: HTTP/1.1 allows six for all tabs of a site. */
const hiddenMs = 30_000;
/** The delay before a retry after a permanent refusal. */
const refusedMs = 15_000;
/** Combines the unmounts and mounts of one route change. */
const settleMs = 50;

type StreamReader = { openStream: OpenStream; applyMessage: typeof applyMessage };

/** Loads the stream reader with the first stream, after the page. */
async function loadReader(): Promise<StreamReader> {
  const [{ leanStreamEvents }, { applyMessage: apply }] = await Promise.all([
    importFile(() => import("@slipway/sdk/leanStreamEvents")),
    importFile(() => import("@slipway/sdk/applyMessage")),
  ]);
  return { openStream: leanStreamEvents, applyMessage: apply };
}

/**
 * Creates the tab's only stream. It is open while the page watches a query and the tab is visible, and continues at its
 * cursor after every interruption. Messages are applied together, once per frame.
 *
 * @param load - Loads the stream reader; tests pass their own.
 */
export function createLiveHub(options: {
  client: QueryClient;
  baseUrl: string;
  page: PageEvents;
  load?: () => Promise<StreamReader>;
}) {
  const { client, baseUrl, page, load = loadReader } = options;
  let reader: StreamReader | undefined;
  const targets = createLiveTargets(
    client,
    (view, message) => reader!.applyMessage(view, message),
    (target) => cover(target),
  );
  const status = createLiveStatus(page.isOnline);
  const messageListeners = new Set<(message: LiveMessage) => void>();
  /** The targets that no open stream has covered since they were added, by the hash of their key. */
  const uncovered = new Map<string, LiveTarget>();
  let isLoaded = false;
  let isStopped = false;
  const timers: Partial<Record<"settle" | "hidden", ReturnType<typeof setTimeout>>> = {};

  const setTimer = (name: keyof typeof timers, callback: () => void, ms: number) => {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(callback, ms);
  };

  const receive = queueByFrame(page, (messages) => {
    targets.apply(messages);
    for (const message of messages) for (const listener of messageListeners) listener(message);
  });

  const onOpen = () => {
    status.live();
    if (uncovered.size === 0) return;
    // Data that were read before the stream opened may lack later changes.
    const missing = [...uncovered.values()];
    uncovered.clear();
    targets.refetchAll(missing);
  };

  const openFirst: OpenStream = async function* (streamOptions) {
    reader = await load();
    yield* reader.openStream(streamOptions);
  };
  const open: OpenStream = (streamOptions) => (reader?.openStream ?? openFirst)(streamOptions);
  const stream = createTabStream(baseUrl, open, {
    onOpen,
    onMessage: receive,
    onLost: status.lost,
    onRefused: () => {
      status.pause();
      setTimer("settle", sync, refusedMs);
    },
  });
  const close = () => {
    stream.close();
    status.forgetLoss();
  };

  /** Reads a target again when the stream is open: its data may lack messages. */
  const cover = (target: LiveTarget) => {
    uncovered.set(hashKey(target.key), target);
    setTimer("settle", sync, settleMs);
  };

  /** Opens, changes or closes the stream according to the watched targets. */
  const sync = () => {
    if (isStopped || !isLoaded) return;
    const selection = select(targets.shown);
    if (selection === null) {
      close();
      return status.off();
    }
    if (page.isHidden()) return;
    if (!stream.is(selection)) {
      close();
      status.connecting();
      stream.open(selection);
    } else if (uncovered.size > 0 && status.get().state === "live") onOpen();
  };

  const stopPage = page.listen({
    onLoad: () => {
      isLoaded = true;
      sync();
    },
    onVisibility: () => {
      clearTimeout(timers.hidden);
      if (!page.isHidden()) sync();
      else setTimer("hidden", close, hiddenMs);
    },
    onOffline: () => status.pause(),
    onOnline: () => {
      // Do not wait for the scheduled retry, which was delayed while offline.
      close();
      sync();
    },
  });

  return {
    getStatus: (): LiveStatus => status.get(),
    subscribe: status.subscribe,
    /** Keeps a query current until the returned function is called. */
    watch(target: LiveTarget): () => void {
      targets.add(target);
      cover(target);
      return () => {
        targets.remove(target);
        uncovered.delete(hashKey(target.key));
        setTimer("settle", sync, settleMs);
      };
    },
    /** Calls `listener` with every message, after it is applied. */
    onMessage(listener: (message: LiveMessage) => void): () => void {
      messageListeners.add(listener);
      return () => messageListeners.delete(listener);
    },
    stop(): void {
      isStopped = true;
      for (const timer of Object.values(timers)) clearTimeout(timer);
      close();
      stopPage();
      targets.stop();
    },
  };
}

/** Collects messages, and delivers the messages of a frame together. */
function queueByFrame(page: PageEvents, deliver: (messages: LiveMessage[]) => void): (message: LiveMessage) => void {
  let queue: LiveMessage[] = [];
  return (message) => {
    queue.push(message);
    if (queue.length > 1) return;
    page.requestFrame(() => {
      const messages = queue;
      queue = [];
      deliver(messages);
    });
  };
}

/** Returns the stream's selection for targets: one token or all, and a candle interval. Null without targets. */
function select(shown: readonly LiveTarget[]): Selection | null {
  if (shown.length === 0) return null;
  const tokens = new Set(shown.map((target) => ("token" in target ? target.token.toLowerCase() : null)));
  const [token] = tokens;
  const interval = shown.find((target) => target.kind === "candles")?.interval;
  return { ...(tokens.size === 1 && token && { token }), ...(interval && { interval }) };
}
