import { hasWords, type RawLog, topicAddress } from "./rawLog.ts";

/** keccak256("UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)") */
export const userOperationTopic = "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f";
/** keccak256("BeforeExecution()") */
export const beforeExecutionTopic = "0xbb47ee3e183a558b1a2ff0874b079f3fc5478b7454eacf2bfc5af2ff5878f972";

/**
 * A position in a transaction at which an ERC-4337 EntryPoint ends one user operation and starts the next one. An
 * EntryPoint emits BeforeExecution, executes the operations in order, and emits a UserOperationEvent after each.
 */
export type OperationMark = {
  /** The EntryPoint, lower case. */
  entryPoint: string;
  logIndex: number;
  /** The account of the operation that ends here, lower case; null for BeforeExecution. */
  sender: string | null;
};

/** Decodes a log of an EntryPoint; null for another event. The caller checks the address. */
export function decodeOperationMark(log: RawLog): OperationMark | null {
  const mark = { entryPoint: log.address, logIndex: Number(log.logIndex) };
  if (log.topics[0] === beforeExecutionTopic) return { ...mark, sender: null };
  if (log.topics[0] !== userOperationTopic || log.topics.length !== 4 || !hasWords(log.data, 4)) return null;
  return { ...mark, sender: topicAddress(log.topics[2]!) };
}
