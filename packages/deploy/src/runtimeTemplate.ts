import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem";
import type { Artifact } from "./readArtifact.ts";

/** Where immutable values lie in a contract's runtime code, as [start, length] in bytes. */
export type ImmutableOffsets = [start: number, length: number][];

/** The immutable references of a compiled contract. */
export function immutableOffsets(artifact: Artifact): ImmutableOffsets {
  return artifact.immutableReferences.map(({ start, length }) => [start, length]);
}

/** The hash of runtime code with the bytes of its immutables zeroed: the same for every instance of a contract. */
export function runtimeTemplateHash(runtimeCode: Hex, offsets: ImmutableOffsets): Hex {
  const bytes = hexToBytes(runtimeCode);
  for (const [start, length] of offsets) bytes.fill(0, start, start + length);
  return keccak256(bytesToHex(bytes));
}
