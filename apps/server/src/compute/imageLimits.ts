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

/**
 * Bytes that are stored of a picture; above them it is refused. A file of 4 MiB can become several times as large, above all
 * as an animation. Stills stay below both bounds, whatever they show, unless their transparency is noise too: the hardest
 * photograph becomes 4 MiB with its smaller versions, the hardest drawing 6.1 MiB.
 */
export const maxStoredBytes = {
  /** Of the picture itself. */
  picture: 6 * 1024 * 1024,
  /** Of the picture and its smaller versions together. */
  total: 7 * 1024 * 1024,
} as const;

/** The sides of the square boxes into which the smaller versions fit. */
export const imageSizes = [64, 256, 512, 1_024] as const;

export type ImageSize = (typeof imageSizes)[number];
