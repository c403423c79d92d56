/** Returns the stored bytes of an encoded picture, including its smaller versions. */
export function getStoredBytes(image: { bytes: Uint8Array; sizes: readonly { bytes: Uint8Array }[] }): number {
  return image.sizes.reduce((sum, size) => sum + size.bytes.length, image.bytes.length);
}
