/** An undecoded JSON-RPC log: hex strings. */
export type RawLog = {
  address: string;
  topics: readonly string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  /** Not sent by every node. */
  blockTimestamp?: string;
};

/** Characters of one 32-byte word in hex. */
export const wordLength = 64;

/** Decodes the unsigned word `index` of hex `data` with 0x prefix. */
export function uintWord(data: string, index: number): bigint {
  const start = 2 + index * wordLength;
  return BigInt(`0x${data.slice(start, start + wordLength)}`);
}

/** Decodes the two's complement word `index`. */
export function intWord(data: string, index: number): bigint {
  return BigInt.asIntN(256, uintWord(data, index));
}

/** Decodes the word `index` of a type within 48 bits (int24, uint16, ...) as a number. */
export function smallIntWord(data: string, index: number): number {
  const end = 2 + (index + 1) * wordLength;
  const low = Number.parseInt(data.slice(end - 12, end), 16);
  // A negative number is sign-extended through the whole word.
  return data.charCodeAt(end - wordLength) === 0x66 ? low - 2 ** 48 : low;
}

/** Decodes the address in word `index`, lower case. */
export function addressWord(data: string, index: number): string {
  const end = 2 + (index + 1) * wordLength;
  return `0x${data.slice(end - 40, end).toLowerCase()}`;
}

/** The cache is emptied when it is full: the next topics fill it again. */
const maxCachedAddresses = 20_000;
const addresses = new Map<string, string>();

/**
 * Decodes the address in an indexed topic, lower case. Returns the same string for the same topic: a backfill decodes
 * each address hundreds of times and uses it as a key, and every new string would be hashed again.
 */
export function topicAddress(topic: string): string {
  let address = addresses.get(topic);
  if (address === undefined) {
    address = `0x${topic.slice(26).toLowerCase()}`;
    // An endpoint can send a topic of any length.
    if (topic.length !== 2 + wordLength) return address;
    if (addresses.size >= maxCachedAddresses) addresses.clear();
    addresses.set(topic, address);
  }
  return address;
}

/** Whether hex `data` has at least `words` words: a log of another contract with the same topic may be shorter. */
export function hasWords(data: string, words: number): boolean {
  return data.length >= 2 + words * wordLength;
}

/**
 * Decodes the dynamic bytes whose offset is in word `index` as UTF-8; invalid sequences become U+FFFD. Null if the
 * offset or the length is outside the data.
 */
export function stringAt(data: string, index: number): string | null {
  const total = (data.length - 2) / 2;
  const offset = uintWord(data, index);
  if (offset + 32n > BigInt(total)) return null;
  const length = BigInt(`0x${data.slice(2 + Number(offset) * 2, 2 + Number(offset) * 2 + wordLength)}`);
  if (offset + 32n + length > BigInt(total)) return null;
  const start = 2 + (Number(offset) + 32) * 2;
  return utf8.decode(hexBytes(data.slice(start, start + Number(length) * 2)));
}

const utf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

function hexBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16);
  return bytes;
}

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Decodes an ERC-20 Transfer; null if its shape differs (an ERC-721 transfer has a fourth topic). */
export function decodeTransfer(log: RawLog): { from: string; to: string; value: bigint } | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
  return { from: topicAddress(log.topics[1]!), to: topicAddress(log.topics[2]!), value: uintWord(log.data, 0) };
}
