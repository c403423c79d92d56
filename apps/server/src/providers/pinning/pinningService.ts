/** A picture to pin: its bytes and the CID that they must have. */
export type PinRequest = { cid: string; name: string; bytes: Uint8Array };

/** Makes content available on IPFS. */
export type PinningService = {
  /** Pins the bytes under their CID. @throws PinningError */
  pin(request: PinRequest, signal: AbortSignal): Promise<void>;
};

/** What can go wrong, with what it means to the caller of an upload. None of the service's own words is in it. */
export const pinningErrors = {
  pinning_unavailable: "The pinning service does not answer; it is tried again later.",
  pinning_refused: "The pinning service refused the picture; it is tried again later.",
  pinning_pending: "The pinning service has not pinned the picture yet; it is tried again later.",
  pinning_mismatch: "The pinning service answered another CID than the picture has; it is tried again later.",
  pinning_bad_answer: "The pinning service gave an answer that cannot be read; it is tried again later.",
} as const;

export type PinningErrorCode = keyof typeof pinningErrors;

export class PinningError extends Error {
  override name = "PinningError";
  readonly code: PinningErrorCode;

  constructor(code: PinningErrorCode, options?: ErrorOptions) {
    super(pinningErrors[code], options);
    this.code = code;
  }
}
