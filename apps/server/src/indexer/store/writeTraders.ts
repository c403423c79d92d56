import { usdMicros } from "@slipway/protocol/price";
import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { ReducedTrade } from "../events/poolSwap.ts";
import { addKnown } from "../reduce/batch.ts";
import { addToCostBasis, type CostBasis, noCostBasis } from "../reduce/costBasis.ts";
import type { LastTrade } from "../reduce/tokenChanges.ts";
import { toArrays } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

type AccountIds = ReadonlyMap<string, number>;

/** Cost bases by token, then by account. */
export type CostBases = ReadonlyMap<number, ReadonlyMap<number, CostBasis>>;

type OpenBases = Map<number, Map<number, CostBasis>>;

/** Returns the mutable bases of a token; creates an empty map for a new token. */
function openToken(bases: OpenBases, tokenId: number): Map<number, CostBasis> {
  let tokenBases = bases.get(tokenId);
  if (tokenBases === undefined) {
    tokenBases = new Map();
    bases.set(tokenId, tokenBases);
  }
  return tokenBases;
}

/** Loads the bases of a batch's accounts before the batch, without realized profits. */
export async function loadCostBases(
  client: Client,
  traders: readonly LastTrade[],
  ids: AccountIds,
): Promise<CostBases> {
  const pairs = traders.filter(({ token_id }) => token_id !== 0);
  if (pairs.length === 0) return new Map();
  const { rows } = await runPrepared<{
    token_id: number;
    account_id: number;
    held: string;
    cost_quote: string;
    cost_usd: string | null;
  }>(
    client,
    `select t.token_id, t.account_id, t.held, t.cost_quote, t.cost_usd
     from unnest($1::int[], $2::int[]) as k(token_id, account_id) join chain.traders t using (token_id, account_id)
     where t.held <> 0`,
    toArrays(
      pairs.map(({ token_id, account }) => ({ token_id, account_id: ids.get(account)! })),
      ["token_id", "account_id"],
    ),
  );
  const bases: OpenBases = new Map();
  for (const row of rows) {
    openToken(bases, row.token_id).set(row.account_id, {
      ...noCostBasis,
      held: BigInt(row.held),
      costQuote: BigInt(row.cost_quote),
      costUsd: row.cost_usd === null ? null : BigInt(row.cost_usd),
    });
  }
  return bases;
}

/**
 * Writes, per account and token and per account for all tokens: time of the last trade, block of the first buy, basis and
 * realized profit.
 *
 * @param trades - All trades of the batch, in chain order.
 * @param before - The accounts' bases before the batch.
 */
export async function writeTraders(
  client: Client,
  traders: readonly LastTrade[],
  trades: readonly ReducedTrade[],
  before: CostBases,
  ids: AccountIds,
  undoBatchId: number | null,
): Promise<void> {
  if (traders.length === 0) return;
  const rows = toTraderRows(traders, trades, before, ids);
  const keys = rows.map(({ token_id, account_id }) => ({ token_id, account_id }));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "traders", keys),
    () =>
      runPrepared(
        client,
        `insert into chain.traders as traders (${columns.join(", ")})
         select * from unnest($1::int[], $2::int[], $3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[],
           $7::numeric[], $8::numeric[], $9::bigint[])
         on conflict (token_id, account_id) do update set
           last_time = greatest(traders.last_time, excluded.last_time),
           held = excluded.held, cost_quote = excluded.cost_quote, cost_usd = excluded.cost_usd,
           realized_quote = traders.realized_quote + excluded.realized_quote,
           realized_usd = traders.realized_usd + excluded.realized_usd,
           first_buy_block = coalesce(traders.first_buy_block, excluded.first_buy_block)`,
        toArrays(rows, columns),
      ),
  ]);
}

const columns = [
  ...(["token_id", "account_id", "last_time", "held", "cost_quote", "cost_usd"] as const),
  ...(["realized_quote", "realized_usd", "first_buy_block"] as const),
];

/** Returns the rows to write: bases after the batch, and the change of the realized profit. */
function toTraderRows(
  traders: readonly LastTrade[],
  trades: readonly ReducedTrade[],
  before: CostBases,
  ids: AccountIds,
) {
  const bases: OpenBases = new Map();
  for (const [tokenId, byAccount] of before) bases.set(tokenId, new Map(byAccount));
  for (const { token, account, is_buy: isBuy, token_amount, quote_amount, eth_usd } of trades) {
    const tokenBases = openToken(bases, token.id);
    const accountId = ids.get(account)!;
    const trade = {
      isBuy,
      tokenAmount: token_amount,
      quoteAmount: quote_amount,
      usd: usdMicros(quote_amount, eth_usd),
    };
    tokenBases.set(accountId, addToCostBasis(tokenBases.get(accountId) ?? noCostBasis, trade));
  }
  const realized = new Map<number, { quote: bigint; usd: bigint | null }>();
  return traders.map(({ token_id, account, last_time, first_buy_block }) => {
    const account_id = ids.get(account)!;
    // The rows for all tokens (token_id 0) come last.
    if (token_id === 0) {
      const { quote, usd } = realized.get(account_id)!;
      const none = { held: null, cost_quote: null, cost_usd: null };
      return { token_id, account_id, last_time, ...none, realized_quote: quote, realized_usd: usd, first_buy_block };
    }
    const { held, costQuote, costUsd, realizedQuote, realizedUsd } = bases.get(token_id)!.get(account_id)!;
    const { quote, usd } = realized.get(account_id) ?? { quote: 0n, usd: 0n };
    realized.set(account_id, { quote: quote + realizedQuote, usd: addKnown(usd, realizedUsd) });
    return {
      token_id,
      account_id,
      last_time,
      held,
      cost_quote: costQuote,
      cost_usd: costUsd,
      realized_quote: realizedQuote,
      realized_usd: realizedUsd,
      first_buy_block,
    };
  });
}
