import type { Socket } from "node:net";
import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import type { ConnectionError } from "fastify";
import { endWithError } from "./endWithError.ts";

/** What Node's parser and timers say, and what it is called here. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Answers what is no HTTP request (bytes that the strict parser refuses, headers that are too large or too slow) with
 * the `Error` body, and closes the connection: where the next request on it would begin cannot be known.
 */
export function answerClientError(error: ConnectionError, socket: Socket, requestId: string): void {
  // A part of an answer may be on its way already: nothing may follow it.
  const answer = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  endWithError(socket, new SlipwayError(codes[error.code] ?? "invalid_request"), requestId);
}
