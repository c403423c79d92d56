/**
 * Lets so many pieces of work go on at once; the others wait in the order in which they came.
 *
 * @returns Runs one when it is its turn.
 */
export function createTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The turn is handed on, never free in between.
      if (next === undefined) free++;
      else next();
    }
  };
}
