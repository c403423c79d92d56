import {
  addressWord,
  hasWords,
  type RawLog,
  smallIntWord,
  stringAt,
  topicAddress,
  uintWord,
  wordLength,
} from "./rawLog.ts";

/** keccak256 of OpeningFactory's OpeningCreated(...). */
export const openingCreatedTopic = "0x1d099f9e8cc8eba3c985ba1202b48bc0a72884f88964e60c74cdffdcd47cf335";

/**
 * The fields of an OpeningCreated event (contracts/src/interfaces/IOpeningFactory.sol). Addresses are lower case. The salt in
 * the event is zero: the creator chooses it for the launch.
 */
export type OpeningCreated = {
  opening: string;
  creator: string;
  paramsHash: string;
  name: string;
  symbol: string;
  contractUri: string;
  splitter: string;
  partner: string;
  feeBps: number;
  minimum: bigint;
  cap: bigint;
  /** Unix seconds. */
  deadline: number;
};

/**
 * The most bytes of name, symbol and document together. Source: MAX_METADATA_LENGTH of LaunchToken. Texts in an event cost
 * a tenth of the gas of texts in a token.
 */
export const maxLaunchTextBytes = 24_575;

/** The longest data of a log with such texts: 4 words, 7 of the parameters, and 3 texts with their lengths, padded. */
const maxDataCharacters = 2 + (4 + 7 + 3 + 3) * wordLength + maxLaunchTextBytes * 2;

/**
 * Decodes an OpeningCreated log word by word; null if its shape differs, if its texts are longer than those of any launch,
 * and if a text could not be stored unchanged: the index must return exactly the parameters that the opening commits to.
 * The texts are untrusted.
 */
export function decodeOpeningCreated({ data, topics }: RawLog): OpeningCreated | null {
  if (topics.length !== 4 || !hasWords(data, 4) || data.length > maxDataCharacters) return null;
  const offset = uintWord(data, 0);
  if (offset > BigInt(data.length)) return null;
  const params = `0x${data.slice(2 + Number(offset) * 2)}`;
  if (!hasWords(params, 7)) return null;
  const name = stringAt(params, 0);
  const symbol = stringAt(params, 1);
  const contractUri = stringAt(params, 2);
  if (name === null || symbol === null || contractUri === null) return null;
  const texts = [name, symbol, contractUri];
  if (texts.some((text) => text.includes("\u0000") || text.includes("\ufffd"))) return null;
  if (utf8.encode(texts.join("")).length > maxLaunchTextBytes) return null;
  return {
    opening: topicAddress(topics[1]!),
    creator: topicAddress(topics[2]!),
    paramsHash: topics[3]!.toLowerCase(),
    name,
    symbol,
    contractUri,
    splitter: addressWord(params, 3),
    partner: addressWord(params, 5),
    feeBps: smallIntWord(params, 6),
    minimum: uintWord(data, 1),
    cap: uintWord(data, 2),
    deadline: smallIntWord(data, 3),
  };
}

const utf8 = new TextEncoder();
