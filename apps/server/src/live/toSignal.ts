import { type SignalOut, signalDirection, signalSkill, trackRecord } from "@slipway/protocol/signals";
import { z } from "zod";
import { toChecksumAddress, toIsoTime } from "../pricing/format.ts";

/** A signal as returned by the outbox and the queries. Times are Unix seconds, the token is in lower case. */
export const signalRow = z.object({
  id: z.string(),
  pair: z.string(),
  token: z.string().nullable(),
  strategy: z.string(),
  strategy_version: z.number(),
  direction: signalDirection,
  origin: z.enum(["live", "history"]),
  closed_at: z.number(),
  generated_at: z.number(),
  price: z.number(),
  stop_loss: z.number(),
  take_profit: z.number(),
  indicators: z.record(z.string(), z.number()),
  confidence: z.number().nullable(),
  /** Null until a record is computed. */
  skill: signalSkill.nullable(),
  track_record: trackRecord.nullable(),
});
export type SignalRow = z.infer<typeof signalRow>;

/** Duration of a signal's entry and of its position, in seconds from the close of the signal's bar. */
const entrySeconds = 3_600;
const positionSeconds = 86_400;

/** Converts a row to the API's signal. @param stale - Whether the market has no current bars. */
export function toSignal(row: SignalRow, stale: boolean): SignalOut {
  const { id, pair, token, strategy, strategy_version, direction, origin, closed_at: closedAt } = row;
  return {
    id,
    pair,
    token: token === null ? null : toChecksumAddress(token),
    timeframe: "HOUR_1",
    strategy,
    strategy_version,
    direction,
    origin,
    generated_at: toIsoTime(row.generated_at),
    candle_close_at: toIsoTime(closedAt),
    valid_until: toIsoTime(closedAt + entrySeconds),
    price: row.price,
    stop_loss: row.stop_loss,
    take_profit: row.take_profit,
    time_limit_s: positionSeconds,
    stale,
    confidence: row.confidence,
    skill: row.skill ?? "unproven",
    evidence: { indicators: row.indicators },
    track_record: row.track_record,
  };
}
