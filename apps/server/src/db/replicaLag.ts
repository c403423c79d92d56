/**
 * A position in the primary's write-ahead log, in bytes. A replica that has replayed a position has every change that
 * was committed before it.
 */
export type WalPosition = number;

/** Samples are kept at this fraction of the time since the first missing sample, which bounds their number. */
const resolution = 1 / 1_000;

/**
 * Measures how long a replica has been missing changes of its primary. Compares positions and uses only the time of
 * this process, so the clocks of the servers do not matter.
 */
export class ReplicaLag {
  /** The last position that the replica reported. */
  replayed: WalPosition = 0;
  /** Positions of the primary that the replica has not replayed, with the time at which each was requested. */
  #missing: { position: WalPosition; atMs: number }[] = [];
  /** The last time at which the replica had every change, as far as known; null before the first. */
  #completeAtMs: number | null = null;

  /** @param atMs - The time at which the position was requested. */
  notePrimary(position: WalPosition, atMs: number): void {
    const [first, last] = [this.#missing[0], this.#missing.at(-1)];
    const isRecent = first && last && atMs - last.atMs < (atMs - first.atMs) * resolution;
    if (!isRecent) this.#missing.push({ position, atMs });
    this.noteReplica(this.replayed);
  }

  noteReplica(position: WalPosition): void {
    this.replayed = position;
    const first = this.#missing.findIndex((sample) => sample.position > position);
    const reached = this.#missing.splice(0, first === -1 ? this.#missing.length : first);
    const last = reached.at(-1);
    if (last !== undefined) this.#completeAtMs = last.atMs;
  }

  /** Forgets all positions, because another primary counts differently. */
  reset(): void {
    this.#missing = [];
    this.#completeAtMs = null;
  }

  /**
   * Returns for how long the replica has been missing changes, in milliseconds; null when unknown. While the primary
   * does not answer, returns the time since the replica was known to have every change.
   */
  getMs(nowMs: number, isPrimaryUp: boolean): number | null {
    if (this.#completeAtMs === null) return null;
    const first = this.#missing[0];
    if (first !== undefined) return nowMs - first.atMs;
    return isPrimaryUp ? 0 : nowMs - this.#completeAtMs;
  }
}
