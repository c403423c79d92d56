import { hasWords, type RawLog, topicAddress, uintWord } from "./rawLog.ts";

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Decodes an ERC-20 Transfer; null when the log has not the shape (an ERC-721 has a fourth topic). */
export function decodeTransfer(log: RawLog): { from: string; to: string; value: bigint } | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
  return { from: topicAddress(log.topics[1]!), to: topicAddress(log.topics[2]!), value: uintWord(log.data, 0) };
}
