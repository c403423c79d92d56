import type { Queryable } from "../../db/database.ts";

/** Whether a launch or an opening of this address, in lower case, is indexed. */
export async function isIndexedAddress(db: Queryable, address: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: "stream-token",
    text: `
      select exists (select from chain.tokens where address = $1)
        or exists (select from chain.openings where address = $1) as found`,
    values: [address],
  });
  return rows[0]!.found;
}
