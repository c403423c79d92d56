import { createHash, type Hash } from "node:crypto";
import type { RawLog } from "@slipway/protocol/rawLog";
import { getBlockNumber } from "./getBlockNumber.ts";

/** Logs of one JSON text: one call for many logs is several times as fast as one for each log. */
const logsTogether = 256;

/**
 * Adds logs to a digest. The digest does not depend on the parts in which consecutive logs are added. The text is JSON,
 * so that no character of a lying node's answer can move text from one field to another.
 */
export function addToDigest(digest: Hash, logs: readonly RawLog[]): void {
  for (let first = 0; first < logs.length; first += logsTogether) {
    const values: (string | number)[] = [];
    for (const log of logs.slice(first, first + logsTogether)) {
      const { topics } = log;
      values.push(getBlockNumber(log), Number(log.logIndex), log.transactionHash, log.address, topics.length);
      for (const topic of topics) values.push(topic);
      values.push(log.data);
    }
    // Without the brackets of the list, which would show the parts.
    digest.update(`${JSON.stringify(values).slice(1, -1)},`);
  }
}

/** Whether two logs of the same position have the same contents. */
export function equalContents(a: RawLog, b: RawLog): boolean {
  return (
    a.data === b.data &&
    a.transactionHash === b.transactionHash &&
    a.address === b.address &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, i) => topic === b.topics[i])
  );
}

/** Returns the digest so far in hex. More logs can be added afterwards. */
export function readDigest(digest: Hash): string {
  return digest.copy().digest("hex");
}

/** Returns the SHA-256 of logs in chain order, without duplicates. */
export function digestLogs(logs: readonly RawLog[]): string {
  const digest = createHash("sha256");
  addToDigest(digest, logs);
  return digest.digest("hex");
}
