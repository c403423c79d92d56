import { expect, test } from "vitest";
import { insert, insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { listEarningTokens } from "./earningQueries.ts";

const fixture = useReadApp();
const wallet = toAddress(0xbeef);
const shared = toAddress(0x5a5a);

test("lists the tokens whose proven splitter pays a wallet, in pages that visit each once", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  // Tokens 1 to 5 have a splitter each, 6 to 9 share one; the splitter of 2 is not proven, and 4 pays another wallet.
  for (let id = 1; id <= 9; id++) await insertToken(db, id, id > 5 ? { splitter: shared } : {});
  for (const [n, splitter] of [1, 2, 3, 4, 5]
    .map((id) => toAddress(4_000 + id))
    .concat(shared)
    .entries()) {
    await insert(db, "chain.splitters", { address: splitter, proven: n !== 1, block_number: 100 + n });
    await insert(db, "chain.splitter_payees", {
      splitter,
      position: 0,
      payee: n === 3 ? toAddress(9) : wallet,
      share_bps: 10_000,
      block_number: 100 + n,
    });
  }
  const expected = [9, 8, 7, 6, 5, 3, 1].map((id) => toAddress(1_000 + id));
  for (const limit of [1, 2, 3, 10]) {
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await listEarningTokens(db.read, { wallet, after, limit });
      expect(page.is_cursor_known).toBe(true);
      found.push(...page.tokens.slice(0, limit));
      if (page.tokens.length <= limit) break;
      after = page.tokens[limit - 1]!;
    }
    expect(found).toEqual(expected);
  }
  const other = await listEarningTokens(db.read, { wallet, after: toAddress(1_004), limit: 5 });
  expect(other.is_cursor_known).toBe(false);
  expect((await listEarningTokens(db.read, { wallet: toAddress(77), after: null, limit: 5 })).tokens).toEqual([]);
});
