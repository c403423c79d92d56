import { describe, expect, test } from "vitest";
import { account, createFakeStorage, hashNumber } from "../../../../tests/support/web/fakeProvider.ts";
import { createJournal } from "./journal.ts";

const transaction = { chainId: "0xb626", from: account, data: "0x12", value: "0x0", gas: "0x5208" };
const entry = (number: number, flow = "trade:0xa") => ({
  ...{ hash: hashNumber(number), from: account, nonce: null, block: 16, flow, step: "swap", chainId: 46630 },
  ...{ request: { amount: "1" }, transaction, sentAt: number },
});

describe("the journal", () => {
  test("keeps sent transactions after a reload, by flow, and replaces an entry with the same hash", () => {
    const storage = createFakeStorage();
    const journal = createJournal(storage);
    journal.put(entry(1));
    journal.put(entry(2, "launch:d"));
    journal.put({ ...entry(1), nonce: 7 });
    const again = createJournal(storage);
    expect(again.list("trade:0xa")).toEqual([{ ...entry(1), nonce: 7 }]);
    again.remove(hashNumber(1));
    expect([again.list("trade:0xa"), again.list("launch:d")]).toEqual([[], [entry(2, "launch:d")]]);
  });

  test("stores a batch by the wallet's batch id", () => {
    const journal = createJournal(createFakeStorage());
    const batch = { ...entry(1), hash: null, batch: "0x01", transaction: null };
    journal.put(batch);
    journal.put(entry(2));
    expect(journal.list("trade:0xa")).toEqual([batch, entry(2)]);
    journal.remove("0x01");
    expect(journal.list("trade:0xa")).toEqual([entry(2)]);
  });

  test("forgets only the entries of one wallet", () => {
    const storage = createFakeStorage();
    const journal = createJournal(storage);
    const other = { ...entry(2), from: `0x${"b2".repeat(20)}` as const };
    journal.put(entry(1));
    journal.put(other);
    journal.forget([account]);
    expect(createJournal(storage).list("trade:0xa")).toEqual([other]);
  });

  test("keeps the latest twenty entries", () => {
    const journal = createJournal(createFakeStorage());
    for (let number = 1; number <= 25; number++) journal.put(entry(number));
    expect(journal.list("trade:0xa").map(({ sentAt }) => sentAt)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 6),
    );
  });

  test("C10-22 is empty if the stored value is not a journal, and works without storage", () => {
    const storage = createFakeStorage();
    for (const stored of [
      "{",
      "null",
      "[1, null]",
      JSON.stringify([{ ...entry(1), hash: "0x1" }]),
      JSON.stringify([{ ...entry(1), nonce: "7" }]),
    ]) {
      storage.setItem("slipway.journal", stored);
      expect(createJournal(storage).list("trade:0xa")).toEqual([]);
    }
    const full = createJournal({
      getItem: () => null,
      setItem: () => {
        throw new Error("full");
      },
    });
    full.put(entry(1));
    expect(full.list("trade:0xa")).toEqual([entry(1)]);
  });
});
