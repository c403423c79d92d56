import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import { copyRows, escapeCopyValue, toJson } from "../store/copyRows.ts";

/**
 * A table of schema chain to which events append rows. It has a column `block_number`: an undo deletes the rows above a
 * block. Rows that events update are in other tables, which store/ writes and the undo log restores.
 */
export type EventTable<Row extends object = object> = {
  name: string;
  /** Addresses of a row that the table stores as ids of chain.accounts. */
  accounts?(row: Row): readonly string[];
  /** Appends the rows of a batch by INSERT. `accountIds` has every address that `accounts` returned. */
  write(client: Client, rows: readonly Row[], accountIds: ReadonlyMap<string, number>): Promise<void>;
  /** As `write`, by COPY, several times as fast for many rows. Missing if COPY cannot write the rows. */
  copy?(client: Client, rows: readonly Row[], accountIds: ReadonlyMap<string, number>): Promise<void>;
};

/**
 * Creates a table whose rows are written without conversion.
 *
 * @param columns - All columns that rows have; each is a field of `Row` with the same name.
 * @param onConflict - An ON CONFLICT clause. COPY does not support one, so such a table is always written by INSERT.
 */
export function createEventTable<Row extends object>(
  name: string,
  columns: readonly (keyof Row & string)[],
  onConflict = "",
): EventTable<Row> {
  const list = columns.join(", ");
  const insert = `insert into chain.${name} (${list})
    select ${list} from json_populate_recordset(null::chain.${name}, $1::json) ${onConflict}`;
  return {
    name,
    write: async (client, rows) => {
      await runPrepared(client, insert, [toJson(rows)]);
    },
    ...(onConflict === "" && {
      copy: (client: Client, rows: readonly Row[]) => copyRows(client, name, list, toLines(rows, columns)),
    }),
  };
}

function* toLines<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row)[]): Generator<string> {
  for (const row of rows) yield `${columns.map((column) => escapeCopyValue(row[column])).join("\t")}\n`;
}
