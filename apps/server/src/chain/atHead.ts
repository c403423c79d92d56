import type { Clock } from "../clock.ts";
import type { Chain, HeadBlock, SeenHeads } from "./chain.ts";
import { type Head, readHead } from "./readChain.ts";

/** Until two blocks were seen: the interval of a slow chain, so that a quick one is learned from its first blocks. */
const firstIntervalMs = 1_000;
/** Weight of the newest interval in their moving average. */
const newestWeight = 0.25;

/** Creates the memory of heads. It learns how often blocks come, from all code of this process that reads heads. */
export function createSeenHeads(clock: Pick<Clock, "now">): SeenHeads {
  let newest: { block: HeadBlock; firstSeenMs: number; lastSeenMs: number } | null = null;
  let intervalMs = firstIntervalMs;
  return {
    note: ({ number, timestamp, hash }) => {
      const nowMs = clock.now();
      if (newest?.block.hash === hash) {
        newest.lastSeenMs = nowMs;
        return;
      }
      if (newest !== null && number > newest.block.number) {
        const elapsedMs = Math.max(0, nowMs - newest.firstSeenMs) / Number(number - newest.block.number);
        intervalMs += (elapsedMs - intervalMs) * newestWeight;
      }
      newest = { block: { number, timestamp, hash }, firstSeenMs: nowMs, lastSeenMs: nowMs };
    },
    findLikely: () => {
      if (newest === null) return null;
      const ageMs = clock.now() - newest.lastSeenMs;
      return ageMs >= 0 && ageMs < intervalMs / 2 ? newest.block : null;
    },
  };
}

/**
 * Works at the newest block. One round trip where the newest block is the one that this process has seen last: the work is
 * done at that one together with the reading of the head, and counts only if the head has the same hash. Otherwise the
 * head, and then the work at it.
 *
 * @param prerequisite - What the work awaits from the chain: it is read in the round of the head, and the work after both,
 * since its requests must all be of one round to be of one block. Null where it needs nothing.
 * @param work - Reads and simulates at the block; sends its requests at once. It may run twice, and must change nothing.
 * @throws what the work throws, and as `readHead`.
 */
export async function atHead<T>(
  chain: Pick<Chain, "request" | "heads">,
  chainId: number,
  work: (block: HeadBlock) => Promise<T>,
  prerequisite: Promise<unknown> | null = null,
): Promise<{ head: Head; result: T }> {
  const likely = prerequisite === null ? chain.heads.findLikely() : null;
  const [head, [tried]] = await Promise.all([
    readHead(chain, chainId),
    Promise.allSettled(likely === null ? [] : [work(likely)]),
    prerequisite,
  ]);
  if (tried === undefined || head.hash !== likely!.hash) return { head, result: await work(head) };
  if (tried.status === "rejected") throw tried.reason;
  return { head, result: tried.value };
}
