import type { RiskUpdate } from "@slipway/protocol/risk";
import type { RiskOptions } from "@slipway/sdk/connectRisk";
import type { PageEvents } from "./pageEvents.ts";

/** `live`: the stream delivers messages. `polling`: there is no stream, and the page polls. */
export type RiskFeedState = "connecting" | "live" | "polling";

/** The service sends a message every 30 seconds. After two missing messages, the connection is closed. */
const silenceMs = 75_000;
/** A stream without a first message by then is blocked on the way. */
const openMs = 5_000;
/** A hidden tab closes its connection after this time. */
const hiddenMs = 30_000;
const maxWaitMs = 60_000;

type Connect = (options: Pick<RiskOptions, "onMessage" | "onEnd">) => { close(): void };

/**
 * Creates the risk stream of a visible page. It reopens after every end, at growing intervals, so that a refusing
 * service is not flooded; `onState` reports when the page must poll.
 *
 * @param connect - Opens a connection.
 */
export function createRiskFeed(options: {
  connect: Connect;
  page: PageEvents;
  onUpdate: (update: RiskUpdate) => void;
  onState: (state: RiskFeedState) => void;
}): { stop(): void } {
  const { connect, page, onUpdate, onState } = options;
  let connection: { close(): void } | null = null;
  let failures = 0;
  let isStopped = false;
  const timers: Partial<Record<"silence" | "retry" | "hidden", ReturnType<typeof setTimeout>>> = {};
  const setTimer = (name: keyof typeof timers, callback: () => void, ms: number) => {
    clearTimeout(timers[name]);
    timers[name] = setTimeout(callback, ms);
  };

  const close = () => {
    clearTimeout(timers.silence);
    clearTimeout(timers.retry);
    connection?.close();
    connection = null;
  };
  const lose = () => {
    close();
    onState("polling");
    failures += 1;
    if (!page.isHidden()) setTimer("retry", open, Math.min(maxWaitMs, 1_000 * 2 ** failures));
  };
  const open = () => {
    close();
    if (isStopped || page.isHidden()) return;
    setTimer("silence", lose, openMs);
    const opened = connect({
      onMessage: (update) => {
        if (connection !== opened) return;
        failures = 0;
        setTimer("silence", lose, silenceMs);
        onUpdate(update);
        onState("live");
      },
      onEnd: () => {
        if (connection === opened) lose();
      },
    });
    connection = opened;
  };
  const openNow = () => {
    failures = 0;
    open();
  };

  const stopPage = page.listen({
    onLoad: () => undefined,
    onVisibility: () => {
      clearTimeout(timers.hidden);
      if (page.isHidden()) setTimer("hidden", close, hiddenMs);
      else if (connection === null) openNow();
    },
    onOffline: lose,
    onOnline: openNow,
  });
  onState("connecting");
  open();
  return {
    stop: () => {
      isStopped = true;
      close();
      clearTimeout(timers.hidden);
      stopPage();
    },
  };
}
