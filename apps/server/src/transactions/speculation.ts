import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Chain } from "../chain/chain.ts";
import type { Head, HeadBlock } from "../chain/readChain.ts";

/**
 * Saves a round trip where block and state are as this process saw them last: the work starts with the expected values in
 * the round that reads the real ones, and counts only if both are equal. An expected value is never an answer by itself, so
 * nothing has to be invalidated. False: every request reads first and works afterwards; nothing else changes.
 */
const isEnabled: boolean = true;

/**
 * The head and the state that was read at it. `isOneRound`: head and state were read together, so that no other block can
 * have taken the head's number in between. Other state is neither expected nor remembered.
 */
export type StateAtHead<State> = { head: Head; state: State; isOneRound: boolean };

/** Compares all that is used of a block: two endpoints may name different times for the same hash. */
const isSameBlock = (a: HeadBlock, b: HeadBlock) =>
  a.hash === b.hash && a.number === b.number && a.timestamp === b.timestamp;

/**
 * Reads the head with the state at it, and works with both. One round trip where both are as expected, otherwise the
 * reading and then the work.
 *
 * @param memory - `key` identifies the reads; null where nothing but the head is read. `weight` as in `SeenReads.note`.
 * @param read - Sends its requests at once.
 * @param work - Sends its requests at once. It may run twice, and must change nothing.
 * @throws what `read` throws, and what `work` throws with the values that were read.
 */
export async function workAtHead<State, Result>(
  chain: Pick<Chain, "heads" | "seenReads">,
  { key, weight = 1 }: { key: string | null; weight?: number },
  read: () => Promise<StateAtHead<State>>,
  work: (block: HeadBlock, state: State) => Promise<Result>,
): Promise<{ head: Head; state: State; result: Result }> {
  const expectedBlock = isEnabled ? chain.heads.findLikely() : null;
  const expectedState = key === null ? null : (chain.seenReads.find(key) as State | null);
  const reading = read();
  const canStart = expectedBlock !== null && (key === null || expectedState !== null);
  const started = canStart ? Promise.allSettled([work(expectedBlock, expectedState as State)]) : null;
  const { head, state, isOneRound } = await reading;
  if (key !== null && isOneRound) chain.seenReads.note(key, state, weight);
  const isExpected = canStart && isSameBlock(head, expectedBlock) && isDeepStrictEqual(state, expectedState);
  if (started !== null && isOneRound && isExpected) {
    const [outcome] = await started;
    // A failure does not count: of simulations sent together with the reading, anvil 1.7 refused about one in 800 while
    // blocks came, and none of those sent after it.
    if (outcome.status === "fulfilled") return { head, state, result: outcome.value };
  }
  return { head, state, result: await work(head, state) };
}

/**
 * Loads rows of the index, and works with them. The work starts with the rows that were loaded last for the key, while they
 * are loaded again.
 *
 * @param work - As in `workAtHead`.
 * @throws what `load` throws, and what `work` throws with the rows that were loaded.
 */
export async function workWithRows<Rows, Other, Result>(
  { seenReads }: Pick<Chain, "seenReads">,
  { key, weight }: { key: string; weight: number },
  load: () => Promise<{ rows: Rows; other: Other }>,
  work: (rows: Rows) => Promise<Result>,
): Promise<{ rows: Rows; other: Other; result: Result }> {
  const expected = isEnabled ? (seenReads.find(key) as Rows | null) : null;
  const loadAndNote = async () => {
    const loaded = await load();
    seenReads.note(key, loaded.rows, weight);
    return loaded;
  };
  if (expected === null) {
    const { rows, other } = await loadAndNote();
    return { rows, other, result: await work(rows) };
  }
  // The chain takes longer than the index, so its requests go first: they are sent in an immediate that the work, which
  // starts after this, asks for before this one.
  const loadAfterWork = async () => {
    await Promise.resolve();
    await setImmediate();
    return await loadAndNote();
  };
  const loading = loadAfterWork();
  const started = work(expected);
  started.catch(() => undefined);
  const { rows, other } = await loading;
  return { rows, other, result: await (isDeepStrictEqual(rows, expected) ? started : work(rows)) };
}
