import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionLimit } from "./createConnectionLimit.ts";

type Connection = {
  /** The responses that are not sent completely, in the order of their requests. */
  pending: ServerResponse[];
  /** The request whose `Upgrade` was ignored. */
  lastRequest: IncomingMessage | null;
  /** Removes the first pending response: Node.js sends the responses of a connection one after the other. */
  removeSent: () => void;
};

/**
 * The connections of one HTTP server: the responses that each connection still has to send, and whether it accepts
 * another request.
 *
 * Node.js drops the bytes that it received together with a request whose `Upgrade` is ignored, and continues to read
 * after them. The next bytes may begin in the middle of a body, and a part of that body could then be parsed as a
 * request. Therefore a request whose `Upgrade` is ignored is the last one of its connection.
 */
export class Connections {
  readonly #connections = new WeakMap<Duplex, Connection>();
  readonly #limit: Pick<ConnectionLimit, "setBusy" | "setIdle">;

  /** @param limit - Receives the start and the end of each busy connection. */
  constructor(limit: Pick<ConnectionLimit, "setBusy" | "setIdle">) {
    this.#limit = limit;
  }

  /** The first response that is not sent completely; null when there is none. */
  getPendingResponse(socket: Duplex): ServerResponse | null {
    return this.#connections.get(socket)?.pending[0] ?? null;
  }

  /**
   * Decides whether a request with an `Upgrade` is a WebSocket handshake. A server may ignore any other `Upgrade` (RFC
   * 9110, 7.8): another protocol (curl offers h2c), another method, HTTP/1.0, or a handshake after a request without a
   * complete response.
   */
  shouldUpgrade(request: IncomingMessage): boolean {
    const { method, headers, httpVersion, socket } = request;
    const connection = this.#get(socket);
    const isHandshake = method === "GET" && httpVersion === "1.1" && headers.upgrade?.toLowerCase() === "websocket";
    if (isHandshake && connection.pending.length === 0 && connection.lastRequest === null) {
      this.#limit.setBusy(socket, null);
      return true;
    }
    connection.lastRequest ??= request;
    return false;
  }

  /**
   * Registers the response to a request that was just read.
   *
   * @returns Whether the connection ends with this request: `no`; `after_response`, because its `Upgrade` was ignored;
   *   `now`, because it follows such a request.
   */
  add(request: IncomingMessage, response: ServerResponse): "no" | "after_response" | "now" {
    const connection = this.#get(request.socket);
    if (connection.lastRequest !== null && connection.lastRequest !== request) return "now";
    connection.pending.push(response);
    this.#limit.setBusy(request.socket, request);
    response.on("finish", connection.removeSent);
    return connection.lastRequest === null ? "no" : "after_response";
  }

  #get(socket: Socket): Connection {
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      const pending: ServerResponse[] = [];
      const removeSent = () => {
        pending.shift();
        if (pending.length === 0) this.#limit.setIdle(socket);
      };
      connection = { pending, lastRequest: null, removeSent };
      this.#connections.set(socket, connection);
    }
    return connection;
  }
}
