import type { Artifact } from "./readArtifact.ts";

/** Where immutable values lie in the runtime code of a compiled contract, as [start, length] in bytes. */
export function immutableOffsets(artifact: Artifact): [start: number, length: number][] {
  return artifact.immutableReferences.map(({ start, length }) => [start, length]);
}
