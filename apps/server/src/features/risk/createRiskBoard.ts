import { SlipwayError } from "@slipway/protocol/errors";
import { type RiskUpdate, riskRefreshSeconds } from "@slipway/protocol/risk";
import type { RiskHour } from "@slipway/quant/risk/riskSnapshot";
import type { Clock } from "../../clock.ts";
import { createPoller } from "../../createPoller.ts";
import type { Database } from "../../db/database.ts";
import { listenToChannel } from "../../db/listenToChannel.ts";
import type { Deps } from "../../deps.ts";
import { textFrame } from "../../live/textFrame.ts";
import type { Market } from "../../markets/market.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import { type MinutePrice, readMinutePrices } from "./minutePriceQueries.ts";
import { findRisk, listRisk, riskChannel, type StoredRisk, wantRisk } from "./queries.ts";
import { toRiskCard, toRiskHistory, toRiskSnapshot } from "./toRisk.ts";

export type RiskBoard = ReturnType<typeof createRiskBoard>;

/** Milliseconds between renewals of the demand and updates of the statuses. */
const refreshMs = 30_000;
/** Milliseconds from a notification to the read; fewer while a reader waits for a first computation. */
const [settleMs, awaitedMs] = [1_000, 100];
const retryMs = 1_000;
/** Maximum milliseconds that a new reader waits for the first computation of its pair. */
const firstWaitMs = 2_000;

/** The data of a message. */
type MessageData = {
  markets: readonly Market[];
  stored: ReadonlyMap<number, Omit<StoredRisk, "history">>;
  /** The last minutes' prices; empty for the message of a pair, whose numbers are hourly. */
  minutes: ReadonlyMap<number, MinutePrice>;
  history: RiskHour[];
};

/** The newest message of a pair or of the grid, for all its readers. */
type Topic = {
  /** Null for the grid. */
  pair: string | null;
  readers: number;
  text: string;
  frame: Buffer;
  /** The data of the last read; null before the first read. */
  data: MessageData | null;
  changed: PromiseWithResolvers<void>;
  /** Resolves with the first message; the first readers wait for it. */
  first: Promise<void>;
};

/** Whether every market with bars has a snapshot. */
const isComputed = ({ data }: Topic) =>
  Boolean(data?.markets.every(({ id, lastBarAt }) => lastBarAt === null || data.stored.has(id)));

/** Returns the message of a topic with its status at `now`: old data become stale, then unavailable. */
function toMessage(pair: string | null, { markets, stored, minutes, history }: MessageData, now: number): RiskUpdate {
  const head = { event: "risk_update", refresh_seconds: riskRefreshSeconds } as const;
  if (pair === null) {
    const cards = markets.map((market) =>
      toRiskCard(market, stored.get(market.id) ?? null, minutes.get(market.id), now),
    );
    return { ...head, cards };
  }
  const [market] = markets as [Market];
  const one = stored.get(market.id);
  const snapshot = toRiskSnapshot(market, one === undefined ? null : { ...one, history }, now);
  return { ...head, snapshot, history: snapshot.status === "unavailable" ? [] : toRiskHistory(history) };
}

/**
 * Creates the board of a process: the newest risk messages. The board reads, serializes and frames each message once
 * per change, for any number of readers. While a pair has readers, the board requests its risk from the worker.
 *
 * @param options.onFramed - Counts framed messages.
 */
export function createRiskBoard(options: {
  db: Pick<Database, "api" | "read" | "listening">;
  clock: Clock;
  log: Deps["log"];
  onFramed: () => void;
}) {
  const { db, clock, log, onFramed } = options;
  const topics = new Map<string | null, Topic>();
  let running: { stop(): Promise<void> } | null = null;

  /** Replaces the frame of a topic when its message differs. */
  const update = (topic: Topic): void => {
    if (topic.data === null) return;
    const text = JSON.stringify(toMessage(topic.pair, topic.data, Math.floor(clock.now() / 1000)));
    if (text !== topic.text) {
      topic.text = text;
      topic.frame = textFrame(text);
      onFramed();
    }
    topic.changed.resolve();
    topic.changed = Promise.withResolvers();
  };

  const read = async ({ pair, data }: Topic, markets: readonly Market[]): Promise<MessageData> => {
    if (pair === null) {
      const stored = new Map((await listRisk(db.read)).map((one) => [one.market_id, one]));
      const minutes = await readMinutePrices(
        db.read,
        markets.map(({ id }) => id),
      );
      return { markets, stored, minutes, history: [] };
    }
    const listed = markets.find((market) => market.pair === pair);
    // A market that is no longer listed has no current prices.
    const gone = data?.markets.map((market) => ({ ...market, status: "unavailable", reason: "no_data" }) as const);
    const current = listed === undefined ? gone : [listed];
    if (current === undefined) throw new SlipwayError("pair_not_found");
    const stored = await findRisk(db.read, current[0]!.id);
    const { history = [] } = stored ?? {};
    const known = new Map(stored === null ? [] : [[stored.market_id, stored]]);
    return { markets: current, stored: known, minutes: new Map(), history };
  };

  const refresh = async (which: readonly Topic[]): Promise<void> => {
    const markets = await listMarkets(db.read, Math.floor(clock.now() / 1000));
    const isWanted = ({ pair }: Market) => topics.has(null) || topics.has(pair);
    await wantRisk(
      db.api,
      markets.filter(isWanted).map(({ id }) => id),
    );
    for (const topic of which) {
      topic.data = await read(topic, markets);
      update(topic);
    }
  };

  const start = () => {
    const poller = createPoller({
      clock,
      firstPauseMs: refreshMs,
      getSettleMs: () => ([...topics.values()].every(isComputed) ? settleMs : awaitedMs),
      run: async () => {
        try {
          await refresh([...topics.values()]);
          return refreshMs;
        } catch (error) {
          log.warn({ err: error }, "risk not read");
          for (const topic of topics.values()) update(topic);
          return retryMs;
        }
      },
    });
    const listener = listenToChannel({ pool: db.listening, clock, log, channel: riskChannel, wake: poller.wake });
    return {
      stop: async () => {
        await Promise.all([poller.stop(), listener.stop()]);
      },
    };
  };

  const createTopic = (pair: string | null): Topic => {
    const changed = Promise.withResolvers<void>();
    const topic: Topic = {
      pair,
      readers: 0,
      text: "",
      frame: Buffer.alloc(0),
      data: null,
      ...{ changed, first: Promise.resolve() },
    };
    topics.set(pair, topic);
    topic.first = refresh([topic]);
    return topic;
  };

  const leave = (topic: Topic) => {
    topic.readers--;
    if (topic.readers > 0) return;
    topics.delete(topic.pair);
    if (topics.size > 0) return;
    void running?.stop();
    running = null;
  };

  return {
    /**
     * Adds a reader of a pair, or of the grid for null. Waits for the first computation, 2 s at most.
     *
     * @returns `frame` returns the newest frame; `leave` removes the reader.
     */
    async join(pair: string | null): Promise<{ frame: () => Buffer; leave: () => void }> {
      const topic = topics.get(pair) ?? createTopic(pair);
      topic.readers++;
      running ??= start();
      try {
        await topic.first;
        const until = clock.now() + firstWaitMs;
        while (!isComputed(topic) && clock.now() < until) {
          const wait = new AbortController();
          await Promise.race([topic.changed.promise, clock.sleep(until - clock.now(), wait.signal)]);
          wait.abort();
        }
      } catch (error) {
        leave(topic);
        throw error;
      }
      return { frame: () => topic.frame, leave: () => leave(topic) };
    },
  };
}
