import { blockForever } from "./blockForever.ts";

/** Replaces the program that draws cards; never responds. */
export function drawCard(): never {
  return blockForever();
}
