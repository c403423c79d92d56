import type { webhookMessageTypes } from "@slipway/protocol/webhooks";
import { LiveMessage } from "../../live/liveMessage.ts";
import type { FeesPayload, parseOutboxEvent, RiskPayload } from "../../live/outboxEvent.ts";
import { toRiskKey } from "../../live/subjectKeys.ts";
import { toIsoTime } from "../../pricing/format.ts";

/** A message of an outbox row, and the keys of the webhooks that get it. */
export type MatchedMessage = {
  outboxId: number;
  type: (typeof webhookMessageTypes)[number];
  /** Empty for a message that every webhook gets. */
  keys: readonly string[];
  /** The amount of a trade in base units of the quote token. */
  amount: string | null;
  /**
   * The key by which a retraction names the message: "tx_hash:log_index" of a trade, the address of a launch in lower case,
   * `toFeesKey` of fees.
   */
  ref: string | null;
  occurredAt: Date;
  /** The JSON text of the message's data. */
  data: string;
};

/** The rows that a reorganisation retracts. */
export type Retraction = { outboxId: number; aboveBlock: number; refs: readonly string[]; occurredAt: Date };

/** Converts an outbox row to the message of its webhooks; null for a row that only caches, charts and pages of openings need. */
export function toMatchedMessage(
  outboxId: number,
  event: ReturnType<typeof parseOutboxEvent>,
  occurredAt: Date,
): MatchedMessage | null {
  if (event.kind === "risk") {
    const { pair } = event.payload;
    const data = JSON.stringify(toComputedRisk(event.payload));
    return { outboxId, type: "risk", keys: [toRiskKey(pair)], amount: null, ref: null, occurredAt, data };
  }
  const { content } = new LiveMessage(outboxId, event);
  if (content === null || content.name === "candle" || content.name === "opening") return null;
  const message = { outboxId, type: content.name, amount: null, ref: null, occurredAt, data: content.json };
  switch (event.kind) {
    case "launch": {
      const { creator, partner, address } = event.payload;
      const keys = ["launches", `creator:${creator}`, ...(partner === null ? [] : [`partner:${partner}`])];
      return { ...message, keys, ref: address };
    }
    case "trade": {
      const { payload } = event;
      const keys = ["trades", `token:${event.token}`, `account:${payload.account ?? payload.maker}`];
      return { ...message, keys, amount: payload.quote_amount, ref: `${payload.tx_hash}:${payload.log_index}` };
    }
    case "signal":
      return { ...message, keys: ["signals", `pair:${event.payload.pair}`] };
    case "retracted":
      return { ...message, keys: ["retractions"] };
    default:
      return { ...message, keys: [] };
  }
}

const toComputedRisk = ({ computed_at, data_through, schema_version: _, ...risk }: RiskPayload) => ({
  ...risk,
  as_of: toIsoTime(computed_at),
  data_through: toIsoTime(data_through),
});

/** Fees that a settlement paid to a splitter, which belong to its recipients by their shares. */
export type SettledFees = FeesPayload & { outboxId: number; token: string | null; occurredAt: Date };

/** Converts the outbox row of settled fees; null for a row of another kind. */
export function toSettledFees(
  outboxId: number,
  event: ReturnType<typeof parseOutboxEvent>,
  occurredAt: Date,
): SettledFees | null {
  return event.kind === "fees" ? { ...event.payload, outboxId, token: event.token, occurredAt } : null;
}

/** A trade that can move the price of its token across the price of a subject. */
export type PricedTrade = {
  outboxId: number;
  /** In lower case. */
  token: string;
  blockNumber: number;
  logIndex: number;
  /** The price of the pool after the trade, in native. */
  price: number;
  ref: string;
  occurredAt: Date;
};

/** Converts the outbox row of a trade; null for a row of another kind. */
export function toPricedTrade(
  outboxId: number,
  event: ReturnType<typeof parseOutboxEvent>,
  occurredAt: Date,
): PricedTrade | null {
  if (event.kind !== "trade") return null;
  const { block_number: blockNumber, log_index: logIndex, pool_price: price, tx_hash: hash } = event.payload;
  return { outboxId, token: event.token, blockNumber, logIndex, price, ref: `${hash}:${logIndex}`, occurredAt };
}

/** Returns what a row retracts; null for a row of another kind. */
export function toRetraction(
  outboxId: number,
  event: ReturnType<typeof parseOutboxEvent>,
  occurredAt: Date,
): Retraction | null {
  if (event.kind !== "retracted") return null;
  const { above_block: aboveBlock, trades, launches, fees = [] } = event.payload;
  return { outboxId, aboveBlock, refs: [...trades, ...launches, ...fees], occurredAt };
}
