import { createTurns } from "./createTurns.ts";
import { expect, test } from "vitest";

test("lets so many work at once, the others in their order, also after failures", async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = ends.map((end, index) =>
    turns(() => {
      begun.push(index);
      return end.promise;
    }).catch((error: Error) => error.message),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]!.reject(new Error("failed"));
  expect(await results[1]).toBe("failed");
  expect(begun).toEqual([0, 1, 2]);
  ends[0]!.resolve(0);
  ends[2]!.resolve(2);
  await Promise.all([results[0], results[2]]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[3]!.resolve(3);
  ends[4]!.resolve(4);
  expect(await Promise.all(results)).toEqual([0, "failed", 2, 3, 4]);
  expect(await turns(async () => 5)).toBe(5);
});
