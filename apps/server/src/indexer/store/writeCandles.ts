import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { StoredCandle } from "../../live/outboxEvent.ts";
import type { OpenCandle } from "../indexState.ts";
import { copyRows, copyValue, toJson } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

const columns = "token_id, seconds, t, o, h, l, c, o_usd, h_usd, l_usd, c_usd, n, buys, vq, v";

/**
 * Merges a batch's candles into the stored candles. Skips the candles of a batch of final blocks (`undoBatchId` null) that
 * `copyNewCandles` writes.
 *
 * @returns The stored candles near the head; empty for a batch of final blocks.
 */
export async function writeCandles(
  client: Client,
  candles: readonly OpenCandle[],
  undoBatchId: number | null,
): Promise<StoredCandle[]> {
  if (undoBatchId !== null) return await mergeCandles(client, candles, undoBatchId);
  return await mergeCandles(
    client,
    candles.filter(({ continues }) => continues),
    null,
  );
}

/**
 * Writes by COPY the new candles of a batch of final blocks: block times do not decrease, so candles after a token's last
 * trade are not stored yet.
 */
export async function copyNewCandles(client: Client, candles: readonly OpenCandle[]): Promise<void> {
  const added = candles.filter(({ continues }) => !continues);
  if (added.length > 0) await copyRows(client, "candles", columns, toLines(added));
}

function* toLines(candles: readonly OpenCandle[]): Generator<string> {
  for (const c of candles) {
    const usd = c.c_usd === null ? "\\N\t\\N\t\\N\t\\N" : `${c.o_usd}\t${c.h_usd}\t${c.l_usd}\t${c.c_usd}`;
    yield `${c.token.id}\t${c.seconds}\t${c.t}\t${c.o}\t${c.h}\t${c.l}\t${c.c}\t${usd}\t${c.n}\t${c.buys}\t` +
      `${c.vq}\t${copyValue(c.v)}\n`;
  }
}

async function mergeCandles(
  client: Client,
  candles: readonly OpenCandle[],
  undoBatchId: number | null,
): Promise<StoredCandle[]> {
  if (candles.length === 0) return [];
  const rows = candles.map(({ token, continues, ...candle }) => ({ token_id: token.id, ...candle }));
  const [, stored] = await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "candles", rows),
    () => upsertCandles(client, rows, undoBatchId !== null),
  ]);
  return stored;
}

async function upsertCandles(client: Client, rows: readonly object[], returning: boolean): Promise<StoredCandle[]> {
  // USD prices stay null unless both candles have them. greatest() would ignore a null.
  const usd = (expression: string) =>
    `case when candles.c_usd is null or excluded.c_usd is null then null else ${expression} end`;
  const { rows: stored } = await runPrepared<StoredCandle>(
    client,
    `insert into chain.candles as candles (${columns})
     select ${columns} from json_populate_recordset(null::chain.candles, $1::json)
     on conflict (token_id, seconds, t) do update set
       h = greatest(candles.h, excluded.h), l = least(candles.l, excluded.l), c = excluded.c,
       o_usd = ${usd("candles.o_usd")}, h_usd = ${usd("greatest(candles.h_usd, excluded.h_usd)")},
       l_usd = ${usd("least(candles.l_usd, excluded.l_usd)")}, c_usd = ${usd("excluded.c_usd")},
       n = candles.n + excluded.n, buys = candles.buys + excluded.buys,
       vq = candles.vq + excluded.vq, v = candles.v + excluded.v
     ${returning ? `returning ${columns}` : ""}`,
    [toJson(rows)],
  );
  return stored;
}
