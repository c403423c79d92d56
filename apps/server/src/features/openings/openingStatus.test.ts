import { expect, test } from "vitest";
import {
  insertClaim,
  insertDeposit,
  insertEnd,
  insertOpening,
} from "../../../../../tests/support/server/insertOpening.ts";
import { headTime, insertIndex, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const [anna, bob] = [toAddress(11), toAddress(12)];

async function read(opening: string, account = anna) {
  const url = `/api/v1/launchpad/openings/${opening}?account=${account}`;
  const { status, account: part } = (await fixture.read.app.inject({ url })).json();
  return { status, tokens: part.claimable_tokens, refund: part.claimable_refund };
}

/** Stores an opening of two depositors whose deadline has passed. */
async function insertEnded(n: number): Promise<string> {
  const { db } = fixture.database;
  const opening = await insertOpening(db, n, { deadline: headTime - 1 });
  await insertDeposit(db, opening, anna, 2);
  await insertDeposit(db, opening, bob, 1);
  return opening;
}

test("an opening that closes after its refunds is done once its depositors have claimed the arrived tokens", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const [refunded, closed, half, paid] = [
    await insertEnded(1),
    await insertEnded(2),
    await insertEnded(3),
    await insertEnded(4),
  ];
  expect(await read(refunded)).toEqual({ status: "refunding", tokens: "0", refund: "2" });
  for (const opening of [refunded, closed, half, paid]) {
    await insertClaim(db, opening, anna, { tokens: 0, refund: 2 });
    await insertClaim(db, opening, bob, { tokens: 0, refund: 1 });
  }
  // A third of 100 is no whole number: one base unit stays in the opening.
  for (const opening of [closed, half, paid]) await insertEnd(db, opening, "closed", { spent: 0, bought: 100 });
  for (const opening of [half, paid]) await insertClaim(db, opening, anna, { tokens: 66, refund: 0 });
  await insertClaim(db, paid, bob, { tokens: 33, refund: 0 });
  expect(await read(refunded, bob)).toEqual({ status: "done", tokens: "0", refund: "0" });
  expect(await read(closed)).toEqual({ status: "refunding", tokens: "66", refund: "0" });
  expect(await read(half, bob)).toEqual({ status: "refunding", tokens: "33", refund: "0" });
  expect(await read(paid, bob)).toEqual({ status: "done", tokens: "0", refund: "0" });
  const listed = async (status: string) => {
    const { items } = (await fixture.read.app.inject({ url: `/api/v1/launchpad/openings?status=${status}` })).json();
    return items.map(({ address }: { address: string }) => address.toLowerCase());
  };
  expect(await listed("refunding")).toEqual([half, closed]);
  expect(await listed("done")).toEqual([paid, refunded]);
});

test("an opening is done without depositors, and after an opened one's claims", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const empty = await insertOpening(db, 1, { deadline: headTime - 1 });
  // Tokens that arrived without a depositor belong to no depositor.
  const closed = await insertOpening(db, 2);
  await insertEnd(db, closed, "closed", { spent: 0, bought: 7 });
  const opened = await insertEnded(3);
  await insertEnd(db, opened, "opened", { spent: 2, bought: 10 });
  await insertClaim(db, opened, anna, { tokens: 6, refund: 0 });
  const paid = await insertEnded(4);
  await insertEnd(db, paid, "opened", { spent: 2, bought: 10 });
  await insertClaim(db, paid, anna, { tokens: 6, refund: 0 });
  await insertClaim(db, paid, bob, { tokens: 3, refund: 0 });
  const statuses = [];
  for (const opening of [empty, closed, opened, paid]) statuses.push((await read(opening)).status);
  expect(statuses).toEqual(["done", "done", "opened", "done"]);
});
