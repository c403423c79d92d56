import type { Deps } from "@slipway/server/deps";
import { expect } from "vitest";

/**
 * Believes the outbox row by row, as a client that was there from the beginning: no trade or launch is told twice, none
 * is retracted that was not told, and what is left in the end is what the index holds.
 *
 * @returns How many trades were retracted.
 */
export async function replayOutbox(deps: Deps): Promise<number> {
  const { rows } = await deps.db.api.query("select id, kind, token, payload from chain.outbox order by id");
  const [trades, launches] = [new Set<string>(), new Set<string>()];
  let retracted = 0;
  for (const { id, kind, token, payload } of rows) {
    if (kind === "trade" || kind === "launch") {
      const name = kind === "launch" ? token : `${payload.tx_hash}:${payload.log_index}`;
      const told = kind === "launch" ? launches : trades;
      expect(told.has(name), `message ${id} tells ${kind} ${name} again`).toBe(false);
      told.add(name);
    } else if (kind === "retracted") {
      for (const trade of payload.trades) expect(trades.delete(trade), `message ${id}: trade ${trade}`).toBe(true);
      for (const launch of payload.launches) expect(launches.delete(launch), `message ${id}: ${launch}`).toBe(true);
      retracted += payload.trades.length;
    }
  }
  const kept = await deps.db.api.query("select tx_hash || ':' || log_index as id from chain.trade_rows");
  expect(trades).toEqual(new Set(kept.rows.map((row) => row.id)));
  const tokens = await deps.db.api.query("select address from chain.tokens");
  expect(launches).toEqual(new Set(tokens.rows.map((row) => row.address)));
  return retracted;
}
