import { intervalSeconds } from "@slipway/protocol/candle";
import type { CandleInterval, IndexedCandle } from "@slipway/protocol/indexed";
import type { CandleEvent, LaunchEvent, RetractedEvent, TradeEvent } from "@slipway/protocol/liveEvents";
import type { RestAnswer } from "./readOverRest.ts";
import type { Tables } from "./tables.ts";

export type Candle = Pick<IndexedCandle, "o" | "h" | "l" | "c" | "n"> & { quote: "usd" | "eth" };

const tolerance = 1e-9;

/**
 * The state of a stream client, only from received messages: launches, trades and the candles of one interval. A
 * retraction removes the named items, and the candles of the named tokens are read again. Records violations (a trade
 * that is published twice, a retraction of an unpublished item).
 */
export function createClientModel(interval: CandleInterval) {
  const seconds = intervalSeconds[interval];
  const broken: string[] = [];
  let asOf = -1;
  let launches = new Set<string>();
  let trades = new Map<string, string>();
  let candles = new Map<string, Candle>();
  const isMine = (key: string, token: string | null) =>
    key.split(":")[1] === String(seconds) && (token === null || key.startsWith(token));

  const applyRetraction = (id: number, { trades: gone, launches: retracted, tokens }: RetractedEvent): string[] => {
    for (const trade of gone) trades.delete(trade);
    for (const launch of retracted) launches.delete(launch.toLowerCase());
    const touched = tokens.map((address) => address.toLowerCase());
    const kept = [...trades].filter(([, token]) => retracted.some((launch) => launch.toLowerCase() === token));
    if (kept.length > 0 && id > asOf) broken.push(`message ${id}: a launch went, ${kept.length} of its trades did not`);
    return touched;
  };

  return {
    /** Replaces the model by the current data of REST. */
    replace(rest: RestAnswer, token: string | null): void {
      asOf = rest.asOf;
      launches = new Set(rest.launches);
      trades = new Map([...rest.trades].filter(([, of]) => token === null || of === token));
      candles = new Map([...rest.candles].filter(([key]) => isMine(key, token)));
    },
    replaceCandles(rest: RestAnswer, tokens: readonly string[], token: string | null): void {
      const isSelected = (key: string) => tokens.includes(key.split(":")[0]!);
      for (const key of [...candles.keys()]) if (isSelected(key)) candles.delete(key);
      for (const [key, candle] of rest.candles) if (isSelected(key) && isMine(key, token)) candles.set(key, candle);
    },
    /** @returns the tokens whose candles must be read again. */
    applyEvent(name: string, id: number, data: unknown): string[] {
      if (name === "launch") launches.add((data as LaunchEvent).address.toLowerCase());
      if (name === "trade") {
        const { token, trade } = data as TradeEvent;
        // The stream may repeat messages up to the moment of the snapshot.
        if (trades.has(trade.id) && id > asOf) broken.push(`message ${id}: trade ${trade.id} is published twice`);
        trades.set(trade.id, token.toLowerCase());
      }
      if (name === "candle") {
        const { token, interval: received, quote, candle } = data as CandleEvent;
        if (received !== interval) broken.push(`message ${id}: a candle of ${received}`);
        candles.set(`${token.toLowerCase()}:${seconds}:${candle.t}`, { quote, ...candle });
      }
      return name === "retracted" ? applyRetraction(id, data as RetractedEvent) : [];
    },
    /** Returns the differences between the model and the reference. */
    errors(expected: Tables, token: string | null): string[] {
      const errors = [...broken];
      const wanted = new Map(
        [...expected.trades].map(([place, trade]) => [`${trade.tx}:${place.split(":")[1]}`, trade.token as string]),
      );
      for (const [id, of] of wanted) {
        if ((token === null || of === token) && !trades.has(id)) errors.push(`lacks trade ${id}`);
      }
      for (const id of trades.keys()) if (!wanted.has(id)) errors.push(`has unexpected trade ${id}`);
      errors.push(...wrongLaunches(launches, expected, token));
      for (const [key, candle] of expected.candles) {
        if (isMine(key, token)) errors.push(...differs(key, candle as never, candles.get(key)));
      }
      for (const key of candles.keys()) if (!expected.candles.has(key)) errors.push(`has unexpected candle ${key}`);
      return errors;
    },
  };
}

function wrongLaunches(launches: ReadonlySet<string>, expected: Tables, token: string | null): string[] {
  const isSubscribed = (address: string) => token === null || address === token;
  const unknown = [...expected.tokens.keys()].filter((address) => isSubscribed(address) && !launches.has(address));
  const gone = [...launches].filter((address) => isSubscribed(address) && !expected.tokens.has(address));
  return [
    ...unknown.map((address) => `lacks launch ${address}`),
    ...gone.map((address) => `has unexpected launch ${address}`),
  ];
}

function differs(key: string, wanted: { eth: number[]; usd: number[] | null; n: number }, got?: Candle): string[] {
  if (got === undefined) return [`lacks candle ${key}`];
  const [quote, prices] = wanted.usd === null ? ["eth", wanted.eth] : ["usd", wanted.usd];
  const isClose = [got.o, got.h, got.l, got.c].every((price, i) => {
    return Math.abs(price - prices[i]!) <= tolerance * Math.max(price, prices[i]!);
  });
  const isSame = got.quote === quote && got.n === wanted.n && isClose;
  return isSame ? [] : [`has ${JSON.stringify(got)} of candle ${key} instead of ${JSON.stringify(prices)}`];
}
