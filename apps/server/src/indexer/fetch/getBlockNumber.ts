import type { RawLog } from "@slipway/protocol/rawLog";

/** The last parsed number: logs are in chain order, and a range is read several times. */
let lastText: string | null = null;
let lastNumber = Number.NaN;

/** Returns the number of a log's block; NaN for a malformed one. Parses the text once for consecutive logs of a block. */
export function getBlockNumber({ blockNumber }: Pick<RawLog, "blockNumber">): number {
  if (blockNumber !== lastText) {
    lastText = blockNumber;
    lastNumber = Number(blockNumber);
  }
  return lastNumber;
}
