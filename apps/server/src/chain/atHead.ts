import { isDeepStrictEqual } from "node:util";
import type { Chain, HeadBlock } from "./chain.ts";
import { type Head, readHead } from "./readChain.ts";
import { speculate } from "./speculate.ts";

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
  const { value: head, result } = await speculate<HeadBlock, Head, T>({
    expected: prerequisite === null ? chain.heads.findLikely() : null,
    read: async () => (await Promise.all([readHead(chain, chainId), prerequisite]))[0],
    isExpected: isSameBlock,
    work,
  });
  return { head, result };
}

/** Endpoints are compared in all that is used of a block: one may have named another time for the same hash. */
const isSameBlock = (a: HeadBlock, b: HeadBlock) =>
  a.hash === b.hash && a.number === b.number && a.timestamp === b.timestamp;

/**
 * The newest block, what was read at it, and whether both were read together (`ReadAtHead`). State that was not is not
 * remembered. `prepareClaimCalls` relies on that for what unverified contracts return, which can be of any size.
 */
export type StateAtHead<State> = { head: Head; state: State; isOneRound: boolean };

/**
 * Reads state at the head, and works with both. One round trip where the head is the block that this process has seen last,
 * and the state the one that was read last for the key: the work is done with these together with the reading. Otherwise the
 * reading, and then the work.
 *
 * @param key - What determines the reads: their kind, and the parts of the request that they depend on.
 * @param weight - As of `SeenReads.note`.
 * @param read - Sends its requests at once.
 * @param work - As of `atHead`.
 * @throws what `read` and `work` throw.
 */
export async function workWithState<State, Result>(
  chain: Pick<Chain, "heads" | "seenReads">,
  { key, weight = 1 }: { key: string; weight?: number },
  read: () => Promise<StateAtHead<State>>,
  work: (block: HeadBlock, state: State) => Promise<Result>,
): Promise<StateAtHead<State> & { result: Result }> {
  const head = chain.heads.findLikely();
  const state = chain.seenReads.find(key) as State | null;
  type Expected = { head: HeadBlock; state: State };
  const attempt = async (tried: Expected) => {
    const [settled] = await Promise.allSettled([work(tried.head, tried.state)]);
    return { of: tried.head, settled };
  };
  const { value, result } = await speculate<Expected, StateAtHead<State>, Awaited<ReturnType<typeof attempt>>>({
    expected: head === null || state === null ? null : { head, state },
    read: async () => {
      const found = await read();
      if (found.isOneRound) chain.seenReads.note(key, found.state, weight);
      return found;
    },
    // What was read by the head's number, in another round than the head, is of that block only if a later round says so.
    isExpected: ({ head, state, isOneRound }, expected) =>
      isOneRound && isSameBlock(head, expected.head) && isDeepStrictEqual(state, expected.state),
    work: attempt,
  });
  const { of, settled } = result;
  if (settled.status === "fulfilled") return { ...value, result: settled.value };
  if (of === value.head) throw settled.reason;
  // Only a success counts while the state is merely expected: with anvil 1.7, about one in 800 simulations that were sent
  // together with the reading was refused while blocks came, and none that was sent after it.
  return { ...value, result: await work(value.head, value.state) };
}
