import { expect, test } from "vitest";
import { ReplicaLag } from "./replicaLag.ts";

test("is unknown until the replica has reached a position of the primary", () => {
  const lag = new ReplicaLag();
  expect(lag.getMs(0, true)).toBeNull();
  lag.notePrimary(100, 1_000);
  lag.noteReplica(99);
  expect(lag.getMs(5_000, true)).toBeNull();
  lag.noteReplica(100);
  expect(lag.getMs(5_000, true)).toBe(0);
});

test("counts from the first position that the replica has not replayed", () => {
  const lag = new ReplicaLag();
  lag.notePrimary(100, 1_000);
  lag.noteReplica(100);
  lag.notePrimary(200, 2_000);
  lag.notePrimary(300, 3_000);
  expect(lag.getMs(10_000, true)).toBe(8_000);
  lag.noteReplica(250);
  expect(lag.getMs(10_000, true)).toBe(7_000);
  lag.noteReplica(400);
  expect(lag.getMs(10_000, true)).toBe(0);
});

test("without the primary, counts from the last position that the replica is known to have", () => {
  const lag = new ReplicaLag();
  lag.notePrimary(100, 1_000);
  lag.noteReplica(100);
  expect(lag.getMs(4_000, false)).toBe(3_000);
});

test("stays exact to a thousandth while the replica is down for a day", () => {
  const lag = new ReplicaLag();
  lag.notePrimary(1, 0);
  lag.noteReplica(1);
  for (let second = 1; second <= 100_000; second++) lag.notePrimary(second + 1, second * 1_000);
  expect(lag.getMs(100_000_000, true)).toBe(100_000_000 - 1_000);
  // Half of the positions are replayed.
  lag.noteReplica(50_001);
  expect(lag.getMs(100_000_000, true)).toBeLessThanOrEqual(50_000_000);
  expect(lag.getMs(100_000_000, true)).toBeGreaterThan(49_900_000);
});

test("forgets the positions of an earlier primary", () => {
  const lag = new ReplicaLag();
  lag.notePrimary(100, 1_000);
  lag.noteReplica(100);
  lag.reset();
  expect(lag.getMs(2_000, true)).toBeNull();
});
