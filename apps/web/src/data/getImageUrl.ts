type ImageSize = 64 | 256 | 512 | 1024;

/**
 * The URL of a token's processed picture in this service's store; null where there is none. `image_url`, which a creator
 * chose, is never used: its server would learn who visits.
 */
export function getImageUrl(token: object, size: ImageSize): string | null {
  const url = (token as { image?: { urls?: Partial<Record<ImageSize, unknown>> } | null }).image?.urls?.[size];
  return typeof url === "string" ? url : null;
}
