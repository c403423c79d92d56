/** Limits of a picture; a request above them is refused with 422. Source: docs/catalogue.md. */
export const imageLimits = {
  /** Pixels of the longer side. */
  maxSide: 8_192,
  /** Pixels of all frames together. */
  maxPixels: 40_000_000,
  maxFrames: 300,
  /** CPU time of the decoder, in milliseconds; the wall-clock time depends on the load of the machine. */
  maxCpuMs: 5_000,
  /**
   * Resident memory of the decoder process in bytes. A valid picture of 40 megapixels with 16 bits needs half of it.
   */
  maxMemoryBytes: 1024 * 1024 * 1024,
} as const;

/** The maximum longer side of a stored picture, in pixels; larger pictures are reduced. */
export const maxStoredSide = 2_048;

/**
 * Maximum stored bytes of a picture; larger ones are refused. A file of 4 MiB can become several times as large,
 * especially an animation. Stills stay below both limits unless their transparency is noise too: the hardest photograph
 * becomes 4 MiB with its smaller versions, the hardest drawing 6.1 MiB.
 */
export const maxStoredBytes = {
  /** The picture itself. */
  picture: 6 * 1024 * 1024,
  /** The picture and its smaller versions together. */
  total: 7 * 1024 * 1024,
} as const;

/** The sides of the square boxes into which the smaller versions fit. */
export const imageSizes = [64, 256, 512, 1_024] as const;

export type ImageSize = (typeof imageSizes)[number];
