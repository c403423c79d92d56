import type { Clock } from "../clock.ts";
import type { LiveMessage } from "./liveMessage.ts";

/** Consecutive messages of the outbox, and the oldest id that it then had; null if it was empty. */
type MissedBatch = { messages: readonly LiveMessage[]; oldest: number | null };

/** Number of messages of a batch: parsing them takes about ten milliseconds, in which no request is answered. */
const batchSize = 250;

/** The pause after a batch, about as long as reading it. */
const pauseMs = 15;

/** A batch that is read or will be, and the readers that share it. */
type Turn = { isWanted: (() => boolean)[]; batch: Promise<MissedBatch | null> };

/**
 * Creates the reads of messages that are not in memory any more, for readers that resume. Anybody can resume at any
 * cursor, as often as the limits allow, so that all readers of a process together read one batch at a time, and a pause
 * follows each: requests are answered between two batches. Readers that wait at one cursor share a batch.
 *
 * @param options.read - Reads a batch after a cursor.
 * @returns A function that reads the batch after a cursor in its turn; null if no reader wants it any more.
 */
export function createMissedReads(options: {
  clock: Pick<Clock, "sleep">;
  read: (cursor: number, limit: number) => Promise<MissedBatch>;
}): (cursor: number, isWanted: () => boolean) => Promise<MissedBatch | null> {
  const turns = new Map<number, Turn>();
  let last: Promise<void> = Promise.resolve();

  const readInTurn = async (cursor: number, isWanted: Turn["isWanted"]): Promise<MissedBatch | null> => {
    const { promise, resolve: endTurn } = Promise.withResolvers<void>();
    const previous = last;
    last = promise;
    await previous;
    if (!isWanted.some((check) => check())) {
      endTurn();
      return null;
    }
    try {
      return await options.read(cursor, batchSize);
    } finally {
      options.clock.sleep(pauseMs).then(endTurn, endTurn);
    }
  };

  const readShared = async (cursor: number, isWanted: () => boolean): Promise<MissedBatch | null> => {
    const joined = turns.get(cursor);
    if (joined !== undefined) {
      joined.isWanted.push(isWanted);
      const batch = await joined.batch;
      // It joined after the others had left.
      return batch === null && isWanted() ? await readShared(cursor, isWanted) : batch;
    }
    const waiting = [isWanted];
    const batch = readInTurn(cursor, waiting).finally(() => turns.delete(cursor));
    turns.set(cursor, { isWanted: waiting, batch });
    return await batch;
  };
  return readShared;
}
