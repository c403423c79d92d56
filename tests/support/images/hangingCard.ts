/** A program in place of the one that draws cards: it never answers. */
export function drawCard(): never {
  for (;;);
}
