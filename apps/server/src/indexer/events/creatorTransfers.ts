import { runPrepared } from "../../db/pipeline.ts";
import type { TokenRef } from "../indexState.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import { toArrays } from "../store/copyRows.ts";
import type { EventTable } from "./eventTable.ts";

/** A creator transferred tokens of its launch to an account. */
type CreatorTransfer = { token: TokenRef; account: string; block_number: number; log_index: number };

const columns = ["creator_id", "account_id", "token_id", "block_number", "log_index"] as const;

/** The first transfer from each creator to each account. Rows come in chain order, so an undo leaves the first one. */
export const creatorTransfersTable: EventTable<CreatorTransfer> = {
  name: "creator_transfers",
  accounts: ({ token, account }) => [token.creator, account],
  write: async (client, transfers, accountIds) => {
    const rows = transfers.map(({ token, account, block_number, log_index }) => ({
      creator_id: accountIds.get(token.creator)!,
      account_id: accountIds.get(account)!,
      token_id: token.id,
      block_number,
      log_index,
    }));
    await runPrepared(
      client,
      `insert into chain.creator_transfers (${columns.join(", ")})
       select * from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::int[]) on conflict do nothing`,
      toArrays(rows, columns),
    );
  },
};

/** Adds a transfer of the creator at the position of the current log. */
export function addCreatorTransfer(batch: Batch, token: TokenRef, account: string): void {
  const { blockNumber, logIndex } = batch.at;
  getRows(batch, creatorTransfersTable).push({ token, account, block_number: blockNumber, log_index: logIndex });
}
