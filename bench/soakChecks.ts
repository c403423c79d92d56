import type { LocalExchange } from "@slipway/dev/exchange/startExchange";
import { localPairs } from "@slipway/dev/exchange/startExchange";
import type { Stack } from "@slipway/dev/startStack";
import { WebSocket } from "ws";

/** Reports a problem of an answer or a message; the soak ends with 1 if there is any. */
export type Report = (problem: string) => void;

/** The state of a market from `GET /api/markets` and its bars. */
export type PairState = {
  status: string;
  reason: string | null;
  source: string;
  /** Unix seconds of the opens of the last stored hour and minute. */
  lastHour: number | null;
  lastMinute: number | null;
  /** Missing bars between stored ones or at the end: minutes of the run, and hours of the last two days. */
  missing: number[];
  gaps30d: number | null;
};

type Market = {
  pair: string;
  status: string;
  reason: string | null;
  exchange: string | null;
  last_bar_at: string | null;
  gaps_30d: number | null;
  price: number | null;
};
type Bar = { t: number; o: number; h: number; l: number; c: number; vb: number };

/** The pairs of the local exchange. */
export const pairs = Object.keys(localPairs);
const day = 86_400;
/** The maximum number of seconds from the end of a minute or an hour until it is stored. */
const graceSeconds = 90;
/** The maximum time between two messages of `WS /ws/risk`: its 30 s and the delay of a busy machine. */
const maxSilenceSeconds = 40;
const isPrice = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0;
const same = (value: number, truth: number) => value === Number(truth.toFixed(8));
const parse = (text: string | null) => (text === null ? null : Date.parse(text) / 1000);

/** Sends requests to the stack like its clients, and compares the answers with the exchange's data. */
export function createChecks(stack: Stack, exchange: LocalExchange, startedAt: number, report: Report) {
  const seen = { requests: 0, bars: 0, unavailable: 0, signals: 0, messages: 0, longestSilence: 0, priceOutside: 0 };
  /** Pairs whose risk was fresh while their market was unavailable. */
  const doubtful = new Set<string>();
  const ranges = new Map<string, { low: number; high: number; at: number }>();

  /** Returns the lowest and highest price of a pair in three days. */
  const getRange = (pair: string) => {
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    const known = ranges.get(pair);
    if (known?.at === hour) return known;
    const bars = Array.from({ length: 73 }, (_, n) => exchange.readTrueBar(pair, hour - n * 3600, 3600)!).filter(
      Boolean,
    );
    const low = Math.min(...bars.map((bar) => bar.low)) * 0.9;
    const range = { low, high: Math.max(...bars.map((bar) => bar.high)) * 1.1, at: hour };
    ranges.set(pair, range);
    return range;
  };
  const checkCard = (card: any) => {
    if (card.status === "unavailable") {
      const numbers = [card.price, card.volatility_daily, card.var_95, card.var_99, card.risk_score];
      if (numbers.some((value) => value !== null)) report(`GET /api/risk: ${card.pair} is unavailable and has numbers`);
      return;
    }
    checkPrice("GET /api/risk", card.pair, card.price);
    if (card.stale !== (card.status === "stale")) report(`GET /api/risk: ${card.pair} is ${card.status}, not marked`);
    for (const name of ["volatility_daily", "var_95", "var_99"]) {
      if (card[name] !== null && !isPrice(card[name]))
        report(`GET /api/risk: ${name} of ${card.pair} is ${card[name]}`);
    }
  };
  const checkPrice = (where: string, pair: string, price: unknown) => {
    const { low, high } = getRange(pair);
    if (!isPrice(price)) report(`${where}: the price of ${pair} is ${price}`);
    else if (price < low || price > high)
      report(`${where}: the price of ${pair}, ${price}, is outside of ${low}..${high}`);
  };

  /** Returns the body of a 200; null for a 503 with its reason. Reports any other answer. */
  const get = async (path: string): Promise<any> => {
    seen.requests++;
    try {
      const response = await fetch(`${stack.siteUrl}${path}`, {
        headers: path.startsWith("/api/risk") ? { authorization: `Bearer ${stack.apiKey}` } : {},
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      if (response.status === 200) return path === "/metrics" ? text : JSON.parse(text);
      if (response.status === 503 && /"code":"[a-z_]+"/.test(text)) seen.unavailable++;
      else report(`GET ${path} answers ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      report(`GET ${path}: ${message} ${(cause as Error | undefined)?.message ?? ""}`);
    }
    return null;
  };

  const readBars = async (pair: string, interval: 60 | 3600): Promise<Bar[]> => {
    const query = interval === 60 ? "interval=1m&limit=200" : "interval=1h&limit=48";
    const path = `/api/markets/${pair}/bars?${query}`;
    const bars = ((await get(path))?.items ?? []) as Bar[];
    bars.forEach((bar, at) => {
      seen.bars++;
      if (at > 0 && bar.t <= bars[at - 1]!.t) report(`${path}: ${bar.t} follows ${bars[at - 1]!.t}`);
      if (![bar.o, bar.h, bar.l, bar.c].every(isPrice)) report(`${path}: a price of ${bar.t} is invalid`);
      const truth = exchange.readTrueBar(pair, bar.t, interval);
      if (truth === null || bar.t % interval !== 0) {
        report(`${path}: ${bar.t} is not a bar of the exchange`);
        return;
      }
      const isEqual =
        same(bar.o, truth.open) && same(bar.h, truth.high) && same(bar.l, truth.low) && same(bar.c, truth.close);
      if (!isEqual || !same(bar.vb, truth.volume)) report(`${path}: ${JSON.stringify(bar)} is not the exchange's bar`);
    });
    return bars;
  };

  const listMissing = (bars: readonly Bar[], interval: 60 | 3600, from: number, until: number): number[] => {
    const stored = new Set(bars.map(({ t }) => t));
    const missing: number[] = [];
    for (let time = Math.ceil(from / interval) * interval; time + interval <= until; time += interval) {
      if (!stored.has(time)) missing.push(time);
    }
    return missing;
  };

  return {
    seen,
    /** Returns the states of all pairs. @param halts - The times at which trading of pairs ended, in Unix seconds. */
    async readStates(halts: ReadonlyMap<string, number>): Promise<Map<string, PairState>> {
      const states = new Map<string, PairState>();
      const items = ((await get("/api/markets"))?.items ?? []) as Market[];
      for (const { pair, status, reason, exchange: source, price, ...market } of items) {
        if (!pairs.includes(pair)) continue;
        if (doubtful.has(pair) && status === "unavailable") {
          report(`GET /api/risk: ${pair} is fresh while its market is unavailable`);
        }
        doubtful.delete(pair);
        if (status === "unavailable" && price !== null) report(`${pair} is unavailable and has a price, ${price}`);
        if (status !== "unavailable") checkPrice("GET /api/markets", pair, price);
        if ((status === "unavailable") !== (reason !== null)) report(`${pair} is ${status} with the reason ${reason}`);
        const minutes = await readBars(pair, 60);
        const hours = await readBars(pair, 3600);
        const until = Math.min(Date.now() / 1000 - graceSeconds, halts.get(pair) ?? Number.POSITIVE_INFINITY);
        const missing = [
          ...listMissing(minutes, 60, Math.max(startedAt - 1800, minutes[0]?.t ?? 0), until),
          ...listMissing(hours, 3600, Math.max(startedAt - 2 * day, hours[0]?.t ?? 0), until),
        ];
        const lastHour = parse(market.last_bar_at);
        const lastMinute = minutes.at(-1)?.t ?? null;
        const gaps30d = market.gaps_30d;
        states.set(pair, { status, reason, source: source ?? "none", lastHour, lastMinute, missing, gaps30d });
      }
      return states;
    },
    /** Checks that signals have the prices of their bars, and that the grid of risk matches the markets' states. */
    async checkDerived(states: ReadonlyMap<string, PairState>): Promise<void> {
      const signals = (await get("/api/trading-bot/public-signals-latest?limit=200"))?.items ?? [];
      for (const { id, pair, price, stop_loss, take_profit, candle_close_at } of signals) {
        if (!pairs.includes(pair)) continue;
        seen.signals++;
        const truth = exchange.readTrueBar(pair, Date.parse(candle_close_at) / 1000 - 3600, 3600);
        if (truth === null || !same(price, truth.close)) report(`signal ${id}: ${price} is not the close of its bar`);
        for (const level of [stop_loss, take_profit])
          if (level !== null && !isPrice(level)) report(`signal ${id}: ${level}`);
      }
      const cards = (await get("/api/risk"))?.cards ?? [];
      for (const card of cards) {
        if (!pairs.includes(card.pair)) continue;
        checkCard(card);
        // Both were read one after the other: it counts only if the market is still unavailable in the next round.
        if (states.get(card.pair)?.status === "unavailable" && card.status === "fresh") doubtful.add(card.pair);
      }
    },
    /** Returns the process's metrics of the exchange, by name and labels. */
    async readMetrics(): Promise<Map<string, number>> {
      const text = ((await get("/metrics")) ?? "") as string;
      const lines = text.matchAll(/^slipway_(market_(?:requests|bars|bars_refused)_total\{[^}]*\}) (\S+)$/gm);
      return new Map(Array.from(lines, ([, name, value]) => [name!, Number(value)]));
    },
    /** Keeps one socket of `WS /ws/risk` open and checks its messages. @returns a function that ends it */
    watchRisk(pair: string): () => void {
      const headers = { authorization: `Bearer ${stack.apiKey}` };
      const ws = new WebSocket(`${stack.siteUrl.replace(/^http/, "ws")}/ws/risk?pair=${pair}`, { headers });
      let [lastAt, isEnding] = [Date.now(), false];
      const noteSilence = () => {
        const seconds = (Date.now() - lastAt) / 1000;
        seen.longestSilence = Math.max(seen.longestSilence, seconds);
        lastAt = Date.now();
        if (seconds > maxSilenceSeconds) report(`WS /ws/risk: no message for ${seconds.toFixed(1)} s`);
      };
      ws.on("error", (error) => report(`WS /ws/risk: ${error.message}`));
      ws.on("close", (code) => {
        if (!isEnding) report(`WS /ws/risk: closed with ${code}`);
      });
      ws.on("message", (data) => {
        noteSilence();
        seen.messages++;
        const { snapshot } = JSON.parse(String(data)) as { snapshot: any };
        const values = [snapshot.price, snapshot.volatility.har_daily, snapshot.var["95"], snapshot.var["99"]];
        if (snapshot.status === "unavailable" && values.some((value) => value !== null)) {
          report(`WS /ws/risk: unavailable, with numbers`);
        }
        for (const value of values) if (value !== null && !isPrice(value)) report(`WS /ws/risk: a value is ${value}`);
        if (snapshot.price !== null) checkPrice("WS /ws/risk", pair, snapshot.price);
      });
      return () => {
        noteSilence();
        isEnding = true;
        ws.close();
      };
    },
  };
}
