/** The block that an answer of the index is of. */
function getBlock(answer: unknown): number | null {
  const block = (answer as { as_of?: { block_number?: unknown } } | null)?.as_of?.block_number;
  return typeof block === "number" ? block : null;
}

/** Whether an answer is of an older block than what is shown; false where one of them names none. */
export function isOlder(answer: unknown, shown: unknown): boolean {
  const [block, shownBlock] = [getBlock(answer), getBlock(shown)];
  return block !== null && shownBlock !== null && block < shownBlock;
}

/** What is shown, without a claim on its block: blocks were undone, and the next answer counts whatever its block is. */
export function withoutBlock<Shown>(shown: Shown): Shown {
  if (getBlock(shown) === null) return shown;
  const { as_of } = shown as { as_of: object };
  return { ...shown, as_of: { ...as_of, block_number: 0 } };
}
