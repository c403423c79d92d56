import { intervalSeconds } from "@slipway/protocol/candle";
import type { CandleInterval } from "@slipway/protocol/indexed";
import type {
  CandleEvent,
  LaunchEvent,
  OpeningEvent,
  RetractedEvent,
  SnapshotEvent,
  TradeEvent,
} from "@slipway/protocol/liveEvents";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import type { SignalOut } from "@slipway/protocol/signals";
import { toChecksumAddress, toIsoTime } from "../pricing/format.ts";
import { toIndexedCandle } from "../pricing/toIndexedCandle.ts";
import { toIndexedTrade } from "../pricing/toIndexedTrade.ts";
import type {
  CandlePayload,
  LaunchPayload,
  OpeningPayload,
  parseOutboxEvent,
  RetractedPayload,
} from "./outboxEvent.ts";
import { textFrame } from "./textFrame.ts";
import { toSignal } from "./toSignal.ts";

type ParsedEvent = ReturnType<typeof parseOutboxEvent>;

/** The data of each message of the live streams. */
type LiveData = {
  launch: LaunchEvent;
  trade: TradeEvent;
  candle: CandleEvent;
  signal: SignalOut;
  opening: OpeningEvent;
  retracted: RetractedEvent;
  snapshot: Pick<SnapshotEvent, "reason">;
};

export type LiveMessageName = keyof LiveData;

/** `tokens`: affected tokens and openings in lower case, null for all; `interval`: the interval of a candle; `json`: the data. */
type LiveContent = {
  name: LiveMessageName;
  tokens: readonly string[] | null;
  interval: CandleInterval | null;
  json: string;
};

/** A reader's filter. `tokens`: in lower case, null for all; `names`: null for all. */
export type LiveFilter = {
  tokens: ReadonlySet<string> | null;
  interval: CandleInterval;
  names: ReadonlySet<LiveMessageName> | null;
};

/**
 * A row of the outbox as a live message. Computes its content and the bytes of each stream once for all readers, at the
 * first use.
 */
export class LiveMessage {
  /** The row's id. */
  readonly cursor: number;
  readonly #event: ParsedEvent;
  #content: LiveContent | null | undefined;
  #eventText: string | undefined;
  #frame: Buffer | undefined;

  constructor(cursor: number, event: ParsedEvent) {
    this.cursor = cursor;
    this.#event = event;
  }

  get isUnknown(): boolean {
    return this.#event.kind === "unknown";
  }

  /** The content; null for an event that only caches need. */
  get content(): LiveContent | null {
    if (this.#content === undefined) this.#content = toLiveContent(this.#event);
    return this.#content;
  }

  /** Whether the message matches a filter. Retractions and snapshots match all filters with affected tokens. */
  matches(filter: LiveFilter): boolean {
    const { content } = this;
    if (content === null) return false;
    if (content.tokens !== null && filter.tokens !== null) {
      if (!content.tokens.some((token) => filter.tokens!.has(token))) return false;
    }
    if (content.name === "retracted" || content.name === "snapshot") return true;
    if (content.interval !== null && content.interval !== filter.interval) return false;
    return filter.names === null || filter.names.has(content.name);
  }

  /** The message as Server-Sent Events text; only for a message with content. */
  get eventText(): string {
    const { name, json } = this.content!;
    this.#eventText ??=
      name === "snapshot" ? snapshotText(this.cursor, "rebuilt") : toEventText(name, this.cursor, json);
    return this.#eventText;
  }

  /** The message as a WebSocket frame; only for a message with content. */
  get frame(): Buffer {
    const { name, json } = this.content!;
    this.#frame ??= textFrame(`{"type":"${name}","cursor":"${this.cursor}","data":${json}}`);
    return this.#frame;
  }
}

/** Formats a Server-Sent Event (WHATWG HTML, 9.2.5). `json` must not contain a line feed, to be one `data` line. */
export function toEventText(name: string, id: number, json: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${json}\n\n`;
}

/** Formats the event that reports omitted messages. */
export function snapshotText(cursor: number, reason: SnapshotEvent["reason"]): string {
  return toEventText("snapshot", cursor, JSON.stringify({ reason, cursor: String(cursor) }));
}

function toLiveContent(event: ParsedEvent): LiveContent | null {
  switch (event.kind) {
    case "launch":
      return createContent("launch", toLaunchEvent(event.payload), [event.token]);
    case "trade": {
      const data = { token: toChecksumAddress(event.token), trade: toIndexedTrade(event.payload) };
      return createContent("trade", data, [event.token]);
    }
    case "candle": {
      const data = toCandleEvent(event.token, event.payload);
      return data && createContent("candle", data, [event.token], data.interval);
    }
    case "signal":
      // A signal of a market without a launch affects no token.
      return createContent("signal", toSignal(event.payload, false), event.token === null ? [] : [event.token]);
    case "opening": {
      const { opening, token } = event.payload;
      // A reader names the opening, because the token has no address before the launch.
      return createContent("opening", toOpeningEvent(event.payload), token === null ? [opening] : [opening, token]);
    }
    case "retracted": {
      const tokens = [...new Set([...event.payload.tokens, ...event.payload.launches])];
      const affected = [...tokens, ...(event.payload.openings ?? [])];
      return createContent("retracted", toRetractedEvent(event.payload, tokens), affected);
    }
    case "state":
    case "eth_usd":
    case "fees":
    case "risk":
      return null;
    // Anything may have changed.
    case "batch":
    case "unknown":
      return createContent("snapshot", { reason: "rebuilt" }, null);
  }
}

function createContent<Name extends LiveMessageName>(
  name: Name,
  data: LiveData[Name],
  tokens: readonly string[] | null,
  interval: CandleInterval | null = null,
): LiveContent {
  return { name, tokens, interval, json: JSON.stringify(data) };
}

function toLaunchEvent(launch: LaunchPayload): LaunchEvent {
  const paid = launch.initial_buy_in;
  const bought = launch.initial_buy_out;
  return {
    address: toChecksumAddress(launch.address),
    name: launch.name,
    symbol: launch.symbol,
    image_url: toPublishedUri(launch.image),
    pool: toChecksumAddress(launch.pool),
    quote_token: toChecksumAddress(launch.quote_token),
    creator: toChecksumAddress(launch.creator),
    splitter: toChecksumAddress(launch.splitter),
    fee_bps: launch.fee_bps,
    price_eth: launch.start_price,
    initial_buy: paid === null || bought === null ? null : { quote_amount: paid, token_amount: bought },
    launched_at: toIsoTime(launch.block_time),
    block_number: launch.block_number,
    tx_hash: launch.tx_hash,
  };
}

const intervals: ReadonlyMap<number, CandleInterval> = new Map<number, CandleInterval>(
  Object.entries(intervalSeconds).map(([name, seconds]) => [seconds, name as CandleInterval]),
);

/** Converts a candle to USD if all its USD values are known, else to wrapped native. `quote` contains the unit. */
function toCandleEvent(token: string, row: CandlePayload): CandleEvent | null {
  const interval = intervals.get(row.seconds);
  if (interval === undefined) return null;
  for (const quote of ["usd", "eth"] as const) {
    const candle = toIndexedCandle(row, quote);
    if (candle !== null) return { token: toChecksumAddress(token), interval, quote, candle };
  }
  return null;
}

function toRetractedEvent(row: RetractedPayload, tokens: readonly string[]): RetractedEvent {
  return {
    above_block: row.above_block,
    trades: row.trades,
    launches: row.launches.map(toChecksumAddress),
    tokens: tokens.map(toChecksumAddress),
    ...(row.openings !== undefined && { openings: row.openings.map(toChecksumAddress) }),
  };
}

function toOpeningEvent({ schema_version: _, opening, token, account, ...row }: OpeningPayload): OpeningEvent {
  return {
    opening: toChecksumAddress(opening),
    token: token === null ? null : toChecksumAddress(token),
    account: account === null ? null : toChecksumAddress(account),
    ...row,
  };
}
