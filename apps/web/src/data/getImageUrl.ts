type ImageSize = 64 | 256 | 512 | 1024;

/**
 * Returns the URL of a token's processed picture on this service; null if there is none. Never uses `image_url`, which
 * the creator chose: its server would see the visitor.
 */
export function getImageUrl(token: object, size: ImageSize): string | null {
  const url = (token as { image?: { urls?: Partial<Record<ImageSize, unknown>> } | null }).image?.urls?.[size];
  return typeof url === "string" ? url : null;
}
