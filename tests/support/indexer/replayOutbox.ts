import type { Deps } from "@slipway/server/deps";
import { expect } from "vitest";

/**
 * Replays the outbox row by row, like a client from the beginning: no trade or launch is published twice, only
 * published ones are retracted, and the result equals the index.
 *
 * @returns the number of retracted trades.
 */
export async function replayOutbox(deps: Deps): Promise<number> {
  const { rows } = await deps.db.api.query("select id, kind, token, payload from chain.outbox order by id");
  const trades = new Set<string>();
  const launches = new Set<string>();
  let retracted = 0;
  for (const { id, kind, token, payload } of rows) {
    if (kind === "trade" || kind === "launch") {
      const name = kind === "launch" ? token : `${payload.tx_hash}:${payload.log_index}`;
      const published = kind === "launch" ? launches : trades;
      expect(published.has(name), `message ${id} publishes ${kind} ${name} again`).toBe(false);
      published.add(name);
    } else if (kind === "retracted") {
      for (const trade of payload.trades) expect(trades.delete(trade), `message ${id}: trade ${trade}`).toBe(true);
      for (const launch of payload.launches) expect(launches.delete(launch), `message ${id}: ${launch}`).toBe(true);
      retracted += payload.trades.length;
    }
  }
  const indexed = await deps.db.api.query("select tx_hash || ':' || log_index as id from chain.trade_rows");
  expect(trades).toEqual(new Set(indexed.rows.map((row) => row.id)));
  const tokens = await deps.db.api.query("select address from chain.tokens");
  expect(launches).toEqual(new Set(tokens.rows.map((row) => row.address)));
  return retracted;
}
