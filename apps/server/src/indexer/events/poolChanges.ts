import type { PoolAmounts } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { TokenRef } from "../indexState.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import { createEventTable, type EventTable } from "./eventTable.ts";

/** See chain.pool_changes. */
export type PoolChangeKind = "mint" | "burn" | "collect" | "collect_protocol" | "flash" | "swap";

/** A change in a batch. The amounts are in base units; the reserves are those after the change. */
type PoolChange = {
  token: TokenRef;
  maker: string | null;
  block_number: number;
  log_index: number;
  block_time: number;
  tx_index: number;
  kind: PoolChangeKind;
  tx_hash: string;
  token_amount: bigint;
  quote_amount: bigint;
  reserve_token: bigint;
  reserve_quote: bigint;
};

type StoredPoolChange = Omit<PoolChange, "token" | "maker"> & { token_id: number; maker_id: number | null };

const stored = createEventTable<StoredPoolChange>("pool_changes", [
  "token_id",
  "log_index",
  "block_number",
  "block_time",
  "tx_index",
  "maker_id",
  "kind",
  "tx_hash",
  "token_amount",
  "quote_amount",
  "reserve_token",
  "reserve_quote",
]);

export const poolChangesTable: EventTable<PoolChange> = {
  name: stored.name,
  accounts: ({ maker }) => (maker === null ? [] : [maker]),
  write: (client, changes, accountIds) => stored.write(client, toStored(changes, accountIds), accountIds),
  copy: (client, changes, accountIds) => stored.copy!(client, toStored(changes, accountIds), accountIds),
};

function toStored(changes: readonly PoolChange[], accountIds: ReadonlyMap<string, number>): StoredPoolChange[] {
  return changes.map(({ token, maker, tx_hash, ...row }) => ({
    ...row,
    token_id: token.id,
    maker_id: maker === null ? null : accountIds.get(maker)!,
    // PostgreSQL's text form of bytes.
    tx_hash: `\\x${tx_hash.slice(2)}`,
  }));
}

/** Amounts from the token's side, in base units; negative if the pool pays them. */
export type TokenAmounts = { tokenAmount: bigint; quoteAmount: bigint };

/** Converts a pool's amounts to the token's side. */
export function toTokenAmounts({ amount0, amount1 }: PoolAmounts, isToken0: boolean): TokenAmounts {
  return isToken0 ? { tokenAmount: amount0, quoteAmount: amount1 } : { tokenAmount: amount1, quoteAmount: amount0 };
}

/**
 * Adds amounts to a pool's reserves. They never become negative: the search for liquidity from before the launch is
 * bounded, so that the index can lack a part that the pool later pays out.
 *
 * @returns Whether the reserves are the exact sums.
 */
export function addToReserves(token: TokenRef, { tokenAmount, quoteAmount }: TokenAmounts): boolean {
  const [tokens, quote] = [token.reserveToken + tokenAmount, token.reserveQuote + quoteAmount];
  token.reserveToken = tokens > 0n ? tokens : 0n;
  token.reserveQuote = quote > 0n ? quote : 0n;
  return tokens >= 0n && quote >= 0n;
}

/** Appends a change at the batch's current log, with the token's reserves. The amounts are absolute. */
export function addPoolChange(
  batch: Batch,
  token: TokenRef,
  { kind, tokenAmount, quoteAmount }: TokenAmounts & { kind: PoolChangeKind },
): void {
  const { at } = batch;
  const isLiquidity = kind === "mint" || kind === "burn";
  getRows(batch, poolChangesTable).push({
    token,
    maker: isLiquidity ? batch.senders.get(at.txHash)! : null,
    block_number: at.blockNumber,
    log_index: at.logIndex,
    block_time: at.blockTime,
    tx_index: requireTxIndex(batch),
    kind,
    tx_hash: at.txHash,
    token_amount: tokenAmount,
    quote_amount: quoteAmount,
    reserve_token: token.reserveToken,
    reserve_quote: token.reserveQuote,
  });
}

/** Returns the position of the current log's transaction in its block. @throws RpcError malformed */
export function requireTxIndex({ at }: Batch): number {
  if (!(at.txIndex >= 0 && at.txIndex < 2 ** 31)) {
    throw new RpcError("malformed", `RPC: a log of block ${at.blockNumber} has no transaction index`);
  }
  return at.txIndex;
}
