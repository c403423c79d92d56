import type { Socket } from "node:net";

/** Why the server closed a connection: the limit of its address, or the maximum of the process. */
export type ConnectionLimitReason = "address" | "process";

/** The limits of the open connections of an HTTP server. */
export type ConnectionLimit = {
  /** Counts a new connection, and closes it or an idle one if there are too many. */
  add(socket: Socket): void;
  /** Call it when a request or a handshake was read: the connection is not closed before it is idle again. */
  setBusy(socket: Socket): void;
  /** Call it when the connection has no request without a complete response. */
  setIdle(socket: Socket): void;
};

/**
 * The part of the maximum of the process above which a new connection replaces an idle one. At the maximum itself Node.js
 * drops new connections (`server.maxConnections`), so that idle connections would lock out all other clients.
 */
const evictionShare = 0.95;

/**
 * Creates the limits of open connections. A new connection above the limit of its address replaces an idle connection of
 * that address, and is closed if none is idle. Near the maximum of the process, a new connection replaces the connection
 * that has been idle for the longest time. Connections with a request in progress, streams and WebSockets are never closed.
 *
 * @param options.getAddress - The address that the connection counts for; null for a trusted proxy, whose connections
 *   carry many clients: they are not limited by address and never closed.
 * @param options.onClosed - Called for each connection that the limits close.
 */
export function createConnectionLimit(options: {
  maxOfAddress: number;
  maxOfProcess: number;
  getAddress: (socket: Socket) => string | null;
  onClosed: (reason: ConnectionLimitReason) => void;
}): ConnectionLimit {
  const { maxOfAddress, maxOfProcess, getAddress, onClosed } = options;
  const evictAt = Math.floor(maxOfProcess * evictionShare);
  /** The open connections and their addresses. */
  const addresses = new Map<Socket, string | null>();
  const byAddress = new Map<string, Set<Socket>>();
  /** The idle connections that may be closed, the longest idle first. */
  const idle = new Set<Socket>();

  const remove = (socket: Socket) => {
    const address = addresses.get(socket);
    if (!addresses.delete(socket)) return;
    idle.delete(socket);
    if (address == null) return;
    const own = byAddress.get(address)!;
    own.delete(socket);
    if (own.size === 0) byAddress.delete(address);
  };

  const close = (socket: Socket, reason: ConnectionLimitReason) => {
    // The event `close` follows later, but the place is free now.
    remove(socket);
    socket.destroy();
    onClosed(reason);
  };

  /** Makes room for one more connection of the address; false if none of its connections is idle. */
  const makeRoom = (address: string): boolean => {
    const own = byAddress.get(address);
    if (own === undefined || own.size < maxOfAddress) return true;
    for (const socket of own) {
      if (!idle.has(socket)) continue;
      close(socket, "address");
      return true;
    }
    return false;
  };

  const setIdle = (socket: Socket) => {
    // A closed connection, or one of a proxy.
    if (addresses.get(socket) == null) return;
    idle.add(socket);
  };

  return {
    add: (socket) => {
      const address = getAddress(socket);
      if (address !== null && !makeRoom(address)) {
        socket.destroy();
        onClosed("address");
        return;
      }
      const [longestIdle] = idle;
      if (addresses.size >= evictAt && longestIdle !== undefined) close(longestIdle, "process");
      addresses.set(socket, address);
      socket.once("close", () => remove(socket));
      if (address === null) return;
      const own = byAddress.get(address) ?? new Set();
      byAddress.set(address, own.add(socket));
      setIdle(socket);
    },
    setBusy: (socket) => {
      idle.delete(socket);
    },
    setIdle,
  };
}
