import type { RawLog } from "@slipway/protocol/rawLog";
import type { OperationMark } from "@slipway/protocol/userOperationLog";
import { RpcError } from "../../chain/rpcError.ts";
import { type AddressIndex, createAddressIndex, isEmptyOrFull, mayHold, readBloom } from "./bloom.ts";
import { type FactoryEvent, parseFactoryEvents } from "./factoryEvents.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { FetchContext } from "./fetchedRange.ts";

import { readOperations } from "./fetchOperations.ts";
import type { Header } from "./headers.ts";
import { createRangeSize } from "./rangeSize.ts";

/** Initial number of blocks whose receipts are requested together. Grows while blocks have few logs, else shrinks. */
const firstBatchBlocks = 8;

/**
 * The watched logs of blocks so far. `addresses` and `index` contain only contracts of factory events: `state.emitters` is
 * not copied.
 */
export type FoundLogs = {
  logs: RawLog[];
  /** Senders of their transactions. */
  senders: Map<string, string>;
  /** Marks of EntryPoints in their transactions. */
  operations: Map<string, OperationMark[]>;
  /** Endpoints that returned the logs. */
  answeredBy: Set<number>;
  /** Events of factories in the blocks. */
  factoryEvents: FactoryEvent[];
  addresses: Set<string>;
  index: AddressIndex;
};

/** @param factoryEvents - Events before the blocks that the index state does not contain yet. */
export function createFoundLogs(factoryEvents: readonly FactoryEvent[] = []): FoundLogs {
  const found: FoundLogs = {
    logs: [],
    senders: new Map(),
    operations: new Map(),
    answeredBy: new Set(),
    factoryEvents: [],
    addresses: new Set(),
    index: createAddressIndex(),
  };
  for (const event of factoryEvents) watch(found, event);
  return found;
}

/**
 * Adds the complete watched logs of each block whose bloom may contain one. Reads blocks in parts and keeps only
 * watched logs in memory, because any account can fill blocks with logs, and blooms with our addresses.
 *
 * @throws RpcError when an answer contradicts its header.
 */
export async function readBlocks(context: FetchContext, headers: readonly Header[], found: FoundLogs): Promise<void> {
  const size = createRangeSize(firstBatchBlocks);
  for (let done = 0; done < headers.length; ) {
    const part = headers.slice(done, done + size.next());
    try {
      size.accepted(part.length, await readPart(context, part, found));
      done += part.length;
    } catch (error) {
      // The answer is too long for the node or for the RPC transport: retries with fewer blocks.
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(part.length)) throw error;
    }
  }
}

/** Adds the watched logs of a part's blocks. @returns The number of all logs in the blocks. */
async function readPart(context: FetchContext, part: readonly Header[], found: FoundLogs): Promise<number> {
  const { rpc, state, signal } = context;
  const unread = new Set(part);
  let logsRead = 0;
  // An event of a factory adds addresses whose logs skipped blocks of the part may contain: repeats until none is found.
  for (;;) {
    const asked = [...unread].filter((header) => mayHoldLogs(header, [state.watched, found.index], context));
    if (asked.length === 0) return logsRead;
    const blocks = await fetchBlockLogs(rpc, asked, {
      signal,
      onAnswer: (endpoint) => found.answeredBy.add(endpoint),
    });
    for (const header of asked) unread.delete(header);
    const factoryEvents = blocks.flatMap((block) => parseFactoryEvents(state, block.logs));
    for (const event of factoryEvents) {
      found.factoryEvents.push(event);
      watch(found, event);
    }
    const isWatched = ({ address }: RawLog) => state.emitters.has(address) || found.addresses.has(address);
    for (const { logs, senders } of blocks) {
      logsRead += logs.length;
      for (const log of logs.filter(isWatched)) {
        found.logs.push(log);
        const sender = senders.get(log.transactionHash);
        if (sender !== undefined) found.senders.set(log.transactionHash, sender);
      }
      for (const [hash, marks] of readOperations(logs)) if (found.senders.has(hash)) found.operations.set(hash, marks);
    }
    if (factoryEvents.length === 0) return logsRead;
  }
}

function watch(found: FoundLogs, { contracts }: FactoryEvent): void {
  for (const { address } of contracts) {
    if (!found.addresses.has(address)) found.index.add(address);
    found.addresses.add(address);
  }
}

/** Whether a block may contain watched logs. Without a usable bloom, any block with transactions may. */
function mayHoldLogs(header: Header, watched: readonly AddressIndex[], { events }: FetchContext): boolean {
  const bloom = readBloom(header.logsBloom);
  if (isEmptyOrFull(bloom)) return header.transactions.length > 0;
  return watched.some((addresses) => mayHold(bloom, addresses, events.topics));
}
