import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { SlipwayError } from "@slipway/protocol/errors";
import { errorAnswer } from "./answerError.ts";

/** What every answer says that is no page, where helmet does not reach. */
export const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Answers where no framework does (a handshake, bytes that are no request), and ends the connection. */
export function endWithError(socket: Duplex, error: SlipwayError, requestId: string): void {
  const { status, headers, body } = errorAnswer(error, requestId);
  const all = {
    ...headers,
    ...securityHeaders,
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
