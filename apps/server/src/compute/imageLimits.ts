/** What a picture may have; above it a request is refused with 422. Source: docs/catalogue.md. */
export const imageLimits = {
  /** Pixels of the longer side. */
  maxSide: 8_192,
  /** Pixels of all frames together. */
  maxPixels: 40_000_000,
  maxFrames: 300,
  /** CPU time of the decoder, in milliseconds: on a busy machine the wall clock says nothing about a picture. */
  maxCpuMs: 5_000,
  /** Resident memory of the decoder process in bytes. A legal picture of 40 megapixels with 16 bits needs half of it. */
  maxMemoryBytes: 1024 * 1024 * 1024,
} as const;

/** The longer side of what is stored, in pixels: a larger picture is made smaller. */
export const maxStoredSide = 2_048;

/** The sides of the square boxes into which the smaller versions fit. */
export const imageSizes = [64, 256, 512, 1_024] as const;

export type ImageSize = (typeof imageSizes)[number];
