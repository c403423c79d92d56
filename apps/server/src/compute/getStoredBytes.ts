/** Bytes that are stored of an encoded picture, those of its smaller versions included. */
export function getStoredBytes(image: { bytes: Uint8Array; sizes: readonly { bytes: Uint8Array }[] }): number {
  return image.sizes.reduce((sum, size) => sum + size.bytes.length, image.bytes.length);
}
