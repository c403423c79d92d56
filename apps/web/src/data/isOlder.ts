/** Returns the block of an index response, or null. */
function getBlock(answer: unknown): number | null {
  const block = (answer as { as_of?: { block_number?: unknown } } | null)?.as_of?.block_number;
  return typeof block === "number" ? block : null;
}

/** Whether a response is of an older block than the shown data; false if either has no block. */
export function isOlder(answer: unknown, shown: unknown): boolean {
  const [block, shownBlock] = [getBlock(answer), getBlock(shown)];
  return block !== null && shownBlock !== null && block < shownBlock;
}

/** Returns the shown data without its block, after a reorg: the next response then replaces it at any block. */
export function withoutBlock<Shown>(shown: Shown): Shown {
  if (getBlock(shown) === null) return shown;
  const { as_of } = shown as { as_of: object };
  return { ...shown, as_of: { ...as_of, block_number: 0 } };
}
