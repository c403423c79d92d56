import { type Hex, keccak256 } from "viem";

/**
 * keccak-256 of runtime code with the bytes of immutable references zeroed: the same for every contract born from one
 * creation code, whatever its arguments were.
 *
 * @param immutableOffsets - [start, length] of each reference, in bytes.
 * @returns null when the code is too short to hold them: then it is other code.
 */
export function templateRuntimeHash(code: Hex, immutableOffsets: readonly (readonly [number, number])[]): Hex | null {
  let digits = code.slice(2);
  for (const [start, length] of immutableOffsets) {
    const from = start * 2;
    const to = from + length * 2;
    if (to > digits.length) return null;
    digits = digits.slice(0, from) + "0".repeat(to - from) + digits.slice(to);
  }
  return keccak256(`0x${digits}`);
}
