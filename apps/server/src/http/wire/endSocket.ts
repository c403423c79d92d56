import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SlipwayError } from "@slipway/protocol/errors";
import { formatError } from "../sendError.ts";
import type { Connections } from "./connections.ts";

/** Security headers of the responses that bypass helmet; none of them is a page. */
export const securityHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/**
 * Sends an error over a connection that Fastify does not handle (a handshake, bytes that are not a request) and ends it.
 * The connection must have no pending response.
 */
export function endSocketWithError(socket: Duplex, error: SlipwayError, requestId: string): void {
  const { status, headers, body } = formatError(error, requestId);
  const all = {
    connection: "close",
    ...headers,
    ...securityHeaders,
    // The origin may be unknown here. A page that sent no cookie may read the error.
    "access-control-allow-origin": "*",
    "x-request-id": requestId,
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/**
 * Ends a connection with an error after the responses to the earlier requests, because a client assigns the first
 * response to its first request.
 */
export function endSocketInTurn(
  connections: Connections,
  socket: Socket,
  error: SlipwayError,
  requestId: string,
): void {
  // An earlier error ended the connection, which closes when that error is sent.
  if (socket.writableEnded) return;
  const pending = connections.getPendingResponse(socket);
  const isStream = pending?.headersSent && !pending.writableEnded;
  if (!socket.writable || isStream) {
    socket.destroy();
  } else if (pending?.req.complete) {
    // Further bytes could only repeat the error.
    socket.pause();
    pending.once("close", () => endSocketInTurn(connections, socket, error, requestId));
  } else if (pending?.headersSent) {
    socket.destroy();
  } else {
    endSocketWithError(socket, error, requestId);
  }
}
