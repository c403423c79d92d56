import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { getPendingResponse } from "./sendError.ts";

/**
 * Connections with the request whose `Upgrade` was ignored on them. Node.js drops the bytes that it received together with
 * such a request, and would then read the next ones from the middle of another: what a client has put into a body could
 * become a request of its own. So this request is the last one of its connection.
 */
const lastRequests = new WeakMap<Duplex, IncomingMessage>();

/**
 * Whether a request that has an `Upgrade` is a WebSocket handshake. The `Upgrade` of any other one is ignored, which a
 * server may do (RFC 9110, 7.8): other protocols (curl offers h2c), other methods, HTTP/1.0, and a handshake behind a
 * request that is not answered yet.
 */
export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  const { method, headers, httpVersion, socket } = request;
  const isHandshake = method === "GET" && httpVersion === "1.1" && headers.upgrade?.toLowerCase() === "websocket";
  if (isHandshake && getPendingResponse(socket) === null && !lastRequests.has(socket)) return true;
  if (!lastRequests.has(socket)) lastRequests.set(socket, request);
  return false;
}

/**
 * Whether an `Upgrade` was ignored on the connection of a request: in itself, or in one before it. Called when the request
 * is read: of a request that is still waiting when a later one is ignored, the result would be wrong.
 */
export function findIgnoredUpgrade(request: IncomingMessage): "own" | "earlier" | null {
  const last = lastRequests.get(request.socket);
  if (last === undefined) return null;
  return last === request ? "own" : "earlier";
}
