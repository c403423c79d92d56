/** A picture to pin: its bytes and the CID that they must have. */
export type PinRequest = { cid: string; name: string; bytes: Uint8Array };

/** Makes content available on IPFS. */
export type PinningService = {
  /** Pins the bytes under their CID. @throws PinningError */
  pin(request: PinRequest, signal: AbortSignal): Promise<void>;
};

/**
 * The possible failures, with their messages for the caller of an upload. The messages contain no text of the service.
 */
export const pinningErrors = {
  pinning_unavailable: "The pinning service does not respond; the pin is tried again later.",
  pinning_refused: "The pinning service refused the picture; the pin is tried again later.",
  pinning_pending: "The pinning service has not pinned the picture yet; the pin is tried again later.",
  pinning_mismatch: "The pinning service returned another CID than the picture has; the pin is tried again later.",
  pinning_bad_answer: "The pinning service sent an unreadable response; the pin is tried again later.",
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
