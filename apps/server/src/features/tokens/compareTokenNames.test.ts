import { confusableKeys } from "@slipway/protocol/confusables";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, test } from "vitest";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { createMetrics } from "../../metrics.ts";
import { findNameKeys } from "../../transactions/resemblanceQueries.ts";
import { compareTokenNames } from "./compareTokenNames.ts";

const world = useReadApp();
const log = { warn: () => undefined } as never;

/** Runs the job until every token was compared. */
async function compareAll(): Promise<void> {
  const { db } = world.database;
  const clock = { sleep: () => new Promise((resolve) => setTimeout(resolve, 5)) } as never;
  const job = compareTokenNames({ db, clock, log, metrics: createMetrics() });
  await expect
    .poll(async () => {
      const { rows } = await db.api.query(
        "select count(*)::int as n from chain.tokens t where not exists (select from app.token_names where token = t.address)",
      );
      return rows[0].n;
    })
    .toBe(0);
  await job.stop();
}

/** Returns, by token name, the earlier token in the API's `confusable_name` warning. */
async function getWarned(): Promise<Record<string, string | null>> {
  const { json } = await (await createReadApp(world.database.db)).get("/tokens?sort=new");
  return Object.fromEntries(
    json.items.map(({ name, warnings }: any) => {
      const warning = warnings.find(({ code }: any) => code === "confusable_name");
      return [name, warning === undefined ? null : /0x[0-9a-fA-F]{40}/.exec(warning.message)![0]];
    }),
  );
}

describe("compareTokenNames", () => {
  test("C4-22 warns about a later token with a confusable name, and not about the earlier token", async () => {
    const { db } = world.database;
    await insertIndex(db);
    for (const [id, name] of ["PayPal", "Boat", "РауРаl", "paypaI", "Goat"].entries()) {
      await insertToken(db, id + 1, { name });
    }
    await compareAll();
    const first = checksummed(toAddress(1_001));
    expect(await getWarned()).toEqual({ PayPal: null, Boat: null, РауРаl: first, paypaI: first, Goat: null });
    const found = await findNameKeys(db.api, confusableKeys("PAYPAL"));
    expect([...found.values()]).toEqual([toAddress(1_001)]);
  });

  test("C4-22 warns about a later token with the symbol of an earlier one, in any spelling", async () => {
    const { db } = world.database;
    await insertIndex(db);
    const tokens = [
      ["Harbor Light", "TIDE"],
      ["Other Boat", "t I-d.e"],
      ["$TIDE", "OTHER"],
      ["Far Shore", "FAR"],
    ];
    for (const [id, [name, symbol]] of tokens.entries()) await insertToken(db, id + 1, { name, symbol });
    await compareAll();
    const first = checksummed(toAddress(1_001));
    expect(await getWarned()).toEqual({ "Harbor Light": null, "Other Boat": first, $TIDE: first, "Far Shore": null });
    const { json } = await (await createReadApp(db)).get(`/wallets/${toAddress(3)}`);
    const inWallet = json.launches.map(({ token }: any) => [token.name, token.name_warning?.includes(first) ?? null]);
    expect(Object.fromEntries(inWallet)).toEqual({
      "Harbor Light": null,
      "Other Boat": true,
      $TIDE: true,
      "Far Shore": null,
    });
  });

  test("C4-22 compares tokens that are launched later, and ignores a token that a reorganisation removed", async () => {
    const { db } = world.database;
    await insertIndex(db);
    await insertToken(db, 1, { name: "Boat" });
    await compareAll();
    await insertToken(db, 2, { name: "Вoat" });
    await compareAll();
    expect((await getWarned()).Вoat).toBe(checksummed(toAddress(1_001)));

    await db.indexer.query("delete from chain.token_state where token_id = 1");
    await db.indexer.query("delete from chain.tokens where id = 1");
    expect(await getWarned()).toEqual({ Вoat: null });
    expect((await findNameKeys(db.api, confusableKeys("boat"))).size).toBe(0);
    await insertToken(db, 3, { name: "boat" });
    await insertToken(db, 4, { name: "b0at" });
    await compareAll();
    const found = await findNameKeys(db.api, confusableKeys("boat"));
    expect([...found.values()]).toEqual([toAddress(1_003)]);
  });
});
