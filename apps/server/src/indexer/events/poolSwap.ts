import type { AccountSource } from "@slipway/protocol/indexed";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { decodeSwap, swapTopic } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import { runPrepared } from "../../db/pipeline.ts";
import type { TokenRef } from "../indexState.ts";
import { addTrade } from "../reduce/addTrade.ts";
import { getEthUsd, getRows, touch } from "../reduce/batch.ts";
import { addTradeFacts } from "../reduce/launchFacts.ts";
import { copyRows, copyValue, toArrays } from "../store/copyRows.ts";
import { loadRoundTrips } from "../store/loadRoundTrips.ts";
import type { EventModule } from "./eventModule.ts";
import type { EventTable } from "./eventTable.ts";
import { addPoolChange, addToReserves, poolChangesTable, requireTxIndex } from "./poolChanges.ts";

/** A trade in a batch. Addresses and hashes are text here; the table stores ids and bytes. */
export type ReducedTrade = {
  token: TokenRef;
  block_number: number;
  log_index: number;
  block_time: number;
  /** The pool's price after the swap. */
  pool_price: number;
  eth_usd: number | null;
  maker: string;
  recipient: string;
  /** The account that traded: docs/models.md, Account of a trade. */
  account: string;
  account_source: AccountSource;
  is_buy: boolean;
  tx_hash: string;
  /** Position of the transaction in its block. */
  tx_index: number;
  token_amount: bigint;
  quote_amount: bigint;
};

const columnNames = [
  ...(["token_id", "log_index", "block_number", "block_time", "pool_price", "eth_usd", "maker_id"] as const),
  ...(["recipient_id", "is_buy", "tx_hash", "token_amount", "quote_amount", "account_id", "account_source"] as const),
  "tx_index" as const,
];
const columns = columnNames.join(", ");

/** The largest event table. */
export const tradesTable: EventTable<ReducedTrade> = {
  name: "trades",
  accounts: (trade) => [trade.maker, trade.recipient, trade.account],
  copy: (client, trades, accountIds) => copyRows(client, "trades", columns, toLines(trades, accountIds)),
  write: async (client, trades, accountIds) => {
    await runPrepared(
      client,
      `insert into chain.trades (${columns})
       select token_id, log_index, block_number, block_time, pool_price, eth_usd, maker_id, recipient_id, is_buy,
         decode(tx_hash, 'hex'), token_amount, quote_amount, account_id, account_source, tx_index
       from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::int[], $8::int[],
         $9::boolean[], $10::text[], $11::numeric[], $12::numeric[], $13::int[], $14::chain.account_source[], $15::int[])
         as rows(${columns})`,
      toArrays(
        trades.map((trade) => toStoredTrade(trade, accountIds)),
        columnNames,
      ),
    );
  },
};

function* toLines(trades: readonly ReducedTrade[], accountIds: ReadonlyMap<string, number>): Generator<string> {
  for (const t of trades) {
    yield `${t.token.id}\t${t.log_index}\t${t.block_number}\t${t.block_time}\t${t.pool_price}\t${copyValue(t.eth_usd)}\t` +
      `${accountIds.get(t.maker)}\t${accountIds.get(t.recipient)}\t${t.is_buy ? "t" : "f"}\t\\\\x${t.tx_hash.slice(2)}\t` +
      `${t.token_amount}\t${t.quote_amount}\t${accountIds.get(t.account)}\t${t.account_source}\t${t.tx_index}\n`;
  }
}

function toStoredTrade(trade: ReducedTrade, accountIds: ReadonlyMap<string, number>) {
  const { token, maker, recipient, account, tx_hash, ...row } = trade;
  return {
    token_id: token.id,
    ...row,
    maker_id: accountIds.get(maker)!,
    recipient_id: accountIds.get(recipient)!,
    account_id: accountIds.get(account)!,
    tx_hash: tx_hash.slice(2),
  };
}

/**
 * Every this many trades of a token, the reserves are stored: a reader of any trade adds up fewer trades than this
 * (features/feeds/eventQueries.ts).
 */
const tradesPerStoredReserves = 32;

/** A swap of a launch's pool updates the pool's state, and is a trade if both amounts are not zero. */
export const poolSwap: EventModule = {
  topic: swapTopic,
  role: "pool",
  tables: [tradesTable, poolChangesTable],
  apply: (log, batch, emitter) => {
    const swap = decodeSwap(log);
    const token = emitter.pool!;
    // No genuine pool has a price of zero.
    if (swap === null || swap.sqrtPriceX96 === 0n) return;
    touch(batch, token);
    const before = { tick: token.tick, liquidity: token.liquidity };
    token.sqrtPriceX96 = swap.sqrtPriceX96;
    token.tick = swap.tick;
    token.liquidity = swap.liquidity;
    const [tokenDelta, quoteDelta] = token.isToken0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
    const isExact = addToReserves(token, { tokenAmount: tokenDelta, quoteAmount: quoteDelta });
    const tokenAmount = tokenDelta < 0n ? -tokenDelta : tokenDelta;
    const quoteAmount = quoteDelta < 0n ? -quoteDelta : quoteDelta;
    const storeReserves = () => addPoolChange(batch, token, { kind: "swap", tokenAmount, quoteAmount });
    if (tokenDelta === 0n || quoteDelta === 0n) {
      if (tokenDelta !== quoteDelta) storeReserves();
      return;
    }
    const { at } = batch;
    // A pool moves existing tokens only, so the endpoint changed the amount.
    if (tokenAmount > token.totalSupply)
      throw new RpcError("malformed", `RPC: a swap in block ${at.blockNumber} moves more tokens than exist`);
    const isBuy = tokenDelta < 0n;
    const price = priceFromSqrtX96(swap.sqrtPriceX96, token.isToken0);
    const { account, source } = batch.tradeAccounts.get(log)!;
    getRows(batch, tradesTable).push({
      token,
      block_number: at.blockNumber,
      log_index: at.logIndex,
      block_time: at.blockTime,
      pool_price: price,
      eth_usd: getEthUsd(batch),
      maker: batch.senders.get(at.txHash)!,
      recipient: swap.recipient,
      account,
      account_source: source,
      is_buy: isBuy,
      tx_hash: at.txHash,
      tx_index: requireTxIndex(batch),
      token_amount: tokenAmount,
      quote_amount: quoteAmount,
    });
    addTrade(batch, token, { isBuy, quoteAmount, price, account, before });
    addTradeFacts(batch, token, { isBuy, tokenAmount, account });
    // A trade does not store the signs of its amounts; those of a genuine swap are opposite.
    const isSigned = isBuy === quoteDelta > 0n;
    if (!isExact || !isSigned || token.trades % tradesPerStoredReserves === 0) storeReserves();
  },
  load: loadRoundTrips,
};
