/** Replaces the program that draws cards; never responds. */
export function drawCard(): never {
  for (;;);
}
