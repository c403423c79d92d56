import { expect, test } from "vitest";
import { createRangeSize } from "./rangeSize.ts";

test("C2-11 finds a node's range limit with at most three times the minimum of requests", () => {
  for (const limit of [7, 100, 2000, 10_000]) {
    const size = createRangeSize();
    const total = limit * 200;
    let [done, requests] = [0, 0];
    while (done < total) {
      const blocks = Math.min(size.next(), total - done);
      requests++;
      if (blocks > limit) size.refused(blocks);
      else {
        done += blocks;
        size.accepted(blocks, 0);
      }
    }
    expect(requests, `limit ${limit}`).toBeLessThanOrEqual(3 * Math.ceil(total / limit));
  }
});
