import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import { copyRows, escapeCopyValue, toJson } from "../store/copyRows.ts";

/**
 * A table of schema chain to which events append rows. It has a column `block_number`: undoing a reorganisation deletes
 * the rows above a block. Rows that events change instead are written by store/ and restored from the undo log.
 */
export type EventTable<Row extends object = object> = {
  name: string;
  /** Addresses of a row that the table stores as ids of chain.accounts. */
  accounts?(row: Row): readonly string[];
  /** Appends the rows of a batch. `accountIds` has every address that `accounts` returned. */
  write(client: Client, rows: readonly Row[], accountIds: ReadonlyMap<string, number>): Promise<void>;
};

/** From this number of rows on, COPY is faster than INSERT by more than its round trips cost. */
const minCopyRows = 1_000;

/**
 * Creates a table whose rows are written as they are.
 *
 * @param columns - All columns that rows have; each is a field of `Row` with the same name.
 * @param onConflict - An ON CONFLICT clause. COPY knows none: such a table is always written by INSERT.
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
      if (!client.pipeline && onConflict === "" && rows.length >= minCopyRows) {
        await copyRows(client, name, list, toLines(rows, columns));
      } else {
        await runPrepared(client, insert, [toJson(rows)]);
      }
    },
  };
}

function* toLines<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row)[]): Generator<string> {
  for (const row of rows) yield `${columns.map((column) => escapeCopyValue(row[column])).join("\t")}\n`;
}
