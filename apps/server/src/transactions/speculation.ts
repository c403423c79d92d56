import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Chain } from "../chain/chain.ts";
import type { Head, HeadBlock } from "../chain/readChain.ts";

/**
 * Saves a round trip if block and state equal the values that this process saw last: the work starts with the expected
 * values in the round that reads the real values, and its result counts only if both are equal. An expected value is
 * never an answer by itself, so no invalidation is needed. False: each request reads first and works afterwards;
 * results are the same.
 */
const isEnabled: boolean = true;

/**
 * The head and the state at the head. `isOneRound`: head and state were read together, so that no other block can have
 * replaced the head in between. Other state is neither expected nor remembered.
 */
export type StateAtHead<State> = { head: Head; state: State; isOneRound: boolean };

/** Compares all used fields of a block: two endpoints may return different times for the same hash. */
const isSameBlock = (a: HeadBlock, b: HeadBlock) =>
  a.hash === b.hash && a.number === b.number && a.timestamp === b.timestamp;

/**
 * Reads the head and the state at the head, and runs `work` with both. Takes one round trip if both are as expected,
 * otherwise the read and then the work.
 *
 * @param memory - `key` identifies the reads; null if only the head is read. `weight` as in `SeenReads.note`.
 * @param read - Must send its requests immediately.
 * @param work - Must send its requests immediately. May run twice, and must have no side effects.
 * @throws Errors of `read`, and errors of `work` with the values that were read.
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
    // A failure does not count: while blocks arrived, anvil 1.7 rejected about one in 800 simulations sent together
    // with the read, and no simulation sent after it.
    if (outcome.status === "fulfilled") return { head, state, result: outcome.value };
  }
  return { head, state, result: await work(head, state) };
}

/**
 * Loads rows of the index, and runs `work` with them. The work starts with the last loaded rows of the key, while the
 * rows are loaded again.
 *
 * @param work - As in `workAtHead`.
 * @throws Errors of `load`, and errors of `work` with the loaded rows.
 */
export async function workWithRows<Rows, Result>(
  { seenReads }: Pick<Chain, "seenReads">,
  { key, weight }: { key: string; weight: number },
  load: () => Promise<Rows>,
  work: (rows: Rows) => Promise<Result>,
): Promise<{ rows: Rows; result: Result }> {
  const expected = isEnabled ? (seenReads.find(key) as Rows | null) : null;
  const loadAndNote = async () => {
    const rows = await load();
    seenReads.note(key, rows, weight);
    return rows;
  };
  if (expected === null) {
    const rows = await loadAndNote();
    return { rows, result: await work(rows) };
  }
  // The chain takes longer than the index, so its requests are sent first: `work` below schedules its immediate before
  // this function schedules its own.
  const loadAfterWork = async () => {
    await Promise.resolve();
    await setImmediate();
    return await loadAndNote();
  };
  const loading = loadAfterWork();
  const started = work(expected);
  started.catch(() => undefined);
  const rows = await loading;
  return { rows, result: await (isDeepStrictEqual(rows, expected) ? started : work(rows)) };
}
