/** The only source of ids and randomness. */
export type Ids = {
  /** A UUID version 7: time-ordered, unguessable. */
  uuid(): string;
  bytes(length: number): Uint8Array;
};
