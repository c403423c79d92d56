import type { Raw } from "../../chain/rpcPool.ts";
import { RpcError } from "../../chain/rpcError.ts";

/** A block's header, as far as the index needs it. */
export type Header = {
  number: number;
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
  logsBloom: string;
  /** Hashes of its transactions. */
  transactions: string[];
};

/** A transaction within a full block. */
export type BlockTransaction = { hash: string; from: string };

type RawBlock = {
  number?: unknown;
  hash?: unknown;
  parentHash?: unknown;
  timestamp?: unknown;
  logsBloom?: unknown;
  transactions?: unknown;
};

/** Checks an eth_getBlockBy... answer; null when the node has no such block. @throws RpcError malformed */
export function readHeader(raw: Raw<unknown>): Header | null {
  if (raw === null) return null;
  const block = raw as unknown as RawBlock;
  const number = readQuantity(block.number);
  const time = readQuantity(block.timestamp);
  const { hash, parentHash, logsBloom, transactions } = block;
  if (number === null || time === null || !isHash(hash) || !isHash(parentHash) || !Array.isArray(transactions)) {
    throw new RpcError("malformed", "RPC: a block has not the shape of one");
  }
  return {
    number,
    time,
    hash,
    parentHash,
    logsBloom: typeof logsBloom === "string" && logsBloom.length === 514 ? logsBloom : zeroBloom,
    transactions: transactions.map((entry: unknown) =>
      typeof entry === "string" ? entry : ((entry as BlockTransaction).hash ?? ""),
    ),
  };
}

const zeroBloom = `0x${"0".repeat(512)}`;

/** A hex quantity as a number; null when it is none. */
export function readQuantity(value: unknown): number | null {
  if (typeof value !== "string" || !value.startsWith("0x")) return null;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : null;
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && value.length === 66 && value.startsWith("0x");
}

/** A block number as JSON-RPC wants it. */
export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}
