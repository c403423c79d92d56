/**
 * Builds a whole WebSocket text frame of a server (RFC 6455, 5.2): final, unmasked, not compressed. The same bytes can
 * be written to many sockets; `ws` would build the frame for each socket. The feed keeps thousands of frames, so that a frame
 * has memory of its own: Node allocates small buffers from pools of 64 KiB, and a frame would keep its whole pool.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(headLength + length);
  frame[0] = 0x81;
  if (headLength === 2) {
    frame[1] = length;
  } else if (headLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headLength);
  return frame;
}
