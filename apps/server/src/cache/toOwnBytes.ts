/**
 * Returns bytes with memory of their own. Node allocates small buffers from shared pools of 64 KiB, and one buffer
 * that a cache keeps would keep its whole pool.
 */
export function toOwnBytes(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength === bytes.length ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}
