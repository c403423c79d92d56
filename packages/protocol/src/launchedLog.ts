import { addressWord, hasWords, type RawLog, smallIntWord, stringAt, topicAddress, uintWord } from "./rawLog.ts";

/** keccak256 of LaunchFactory's Launched(...). */
export const launchedTopic = "0xb309dafb0fa38a7d45aa6525cd29aa85bd9ae785c2c606a3a593d984c0c8a12d";

/** The fields of a Launched event (contracts/src/interfaces/ILaunchFactory.sol). */
export type Launched = {
  token: string;
  creator: string;
  splitter: string;
  pool: string;
  name: string;
  symbol: string;
  contractUri: string;
  tickStart: number;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
  totalFeeBps: number;
  protocolFeeBps: number;
  partner: string;
  partnerShareBps: number;
  salt: string;
};

/** Decodes a Launched log word by word; null if its shape differs. The texts are untrusted. */
export function decodeLaunched(log: RawLog): Launched | null {
  const { data, topics } = log;
  if (topics.length !== 4 || !hasWords(data, 13)) return null;
  const name = stringAt(data, 1);
  const symbol = stringAt(data, 2);
  const contractUri = stringAt(data, 3);
  if (name === null || symbol === null || contractUri === null) return null;
  return {
    token: topicAddress(topics[1]!),
    creator: topicAddress(topics[2]!),
    splitter: topicAddress(topics[3]!),
    pool: addressWord(data, 0),
    name,
    symbol,
    contractUri,
    tickStart: smallIntWord(data, 4),
    tickLower: smallIntWord(data, 5),
    tickUpper: smallIntWord(data, 6),
    liquidity: uintWord(data, 7),
    totalFeeBps: smallIntWord(data, 8),
    protocolFeeBps: smallIntWord(data, 9),
    partner: addressWord(data, 10),
    partnerShareBps: smallIntWord(data, 11),
    salt: `0x${data.slice(2 + 12 * 64, 2 + 13 * 64).toLowerCase()}`,
  };
}
