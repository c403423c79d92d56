import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../clock.ts";
import { toNetwork } from "../../live/toNetwork.ts";

/** Why the server closed a connection: the limit of its address, or the maximum of the process. */
export type ConnectionLimitReason = "address" | "process";

/** The limits of the open connections of an HTTP server. */
export type ConnectionLimit = {
  /** Counts a new connection, and closes it or an idle one if there are too many. */
  add(socket: Socket): void;
  /** Call it when Node.js dropped a new connection at the maximum of the process: the next one finds room. */
  makeRoomInProcess(): void;
  /**
   * Call it when the head of a request or a handshake was read: the connection is not closed before it is idle again, or
   * before the body of its latest request is late.
   *
   * @param request - The request; null for a handshake, which has no body.
   */
  setBusy(socket: Socket, request: Pick<IncomingMessage, "complete"> | null): void;
  /** Call it when the connection has no request without a complete response. */
  setIdle(socket: Socket): void;
};

/**
 * The part of the maximum of the process above which a new connection replaces an idle one. At the maximum itself Node.js
 * drops new connections (`server.maxConnections`), so that idle connections would lock out all other clients.
 */
const evictionShare = 0.95;
/** Near the maximum of the process, a request may be closed if its body did not arrive within this time. */
const lateMs = 3_000;
/** How many late requests are compared for one new connection: the oldest ones. */
const maxCompared = 1_000;

/** A request that was not complete when its head was read. */
type Unfinished = { request: Pick<IncomingMessage, "complete">; since: number };

/**
 * Creates the limits of open connections. A new connection above the limit of its address replaces an idle connection of
 * that address, and is closed if none is idle. Near the maximum of the process, a new connection replaces the connection
 * that has been idle for the longest time. If none is idle, it replaces a connection whose request is late: the oldest one
 * of the network with the most connections. Connections with a complete request in progress, streams and WebSockets are
 * never closed: streams have a maximum of their own (`createStreamLimit.ts`).
 *
 * @param options.getAddress - The address that the connection counts for; null for a trusted proxy, whose connections
 *   carry many clients: they are not limited by address and never closed.
 * @param options.onClosed - Called for each connection that the limits close.
 */
export function createConnectionLimit(options: {
  clock: Pick<Clock, "now">;
  maxOfAddress: number;
  maxOfProcess: number;
  getAddress: (socket: Socket) => string | null;
  onClosed: (reason: ConnectionLimitReason) => void;
}): ConnectionLimit {
  const { clock, maxOfAddress, maxOfProcess, getAddress, onClosed } = options;
  const evictAt = Math.floor(maxOfProcess * evictionShare);
  /** The open connections and their addresses. */
  const addresses = new Map<Socket, string | null>();
  const byAddress = new Map<string, Set<Socket>>();
  /** The idle connections that may be closed, the longest idle first. */
  const idle = new Set<Socket>();
  /** The connections whose latest request may be unfinished, the oldest request first. */
  const unfinished = new Map<Socket, Unfinished>();
  /** The number of connections of each network that has any. */
  const byNetwork = new Map<string, number>();

  const countNetwork = (address: string, change: 1 | -1) => {
    const network = toNetwork(address);
    const count = (byNetwork.get(network) ?? 0) + change;
    if (count === 0) byNetwork.delete(network);
    else byNetwork.set(network, count);
  };

  const remove = (socket: Socket) => {
    const address = addresses.get(socket);
    if (!addresses.delete(socket)) return;
    idle.delete(socket);
    unfinished.delete(socket);
    if (address == null) return;
    countNetwork(address, -1);
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

  /** Finds the connection of the oldest late request of the network with the most connections. */
  const findLate = (): Socket | undefined => {
    const lateSince = clock.now() - lateMs;
    let [found, largest, compared]: [Socket | undefined, number, number] = [undefined, 0, 0];
    for (const [socket, { request, since }] of unfinished) {
      if (since > lateSince || compared === maxCompared) break;
      if (request.complete) {
        unfinished.delete(socket);
        continue;
      }
      compared++;
      const count = byNetwork.get(toNetwork(addresses.get(socket)!))!;
      if (count > largest) [found, largest] = [socket, count];
    }
    return found;
  };

  const makeRoomInProcess = () => {
    while (addresses.size >= evictAt) {
      const [longestIdle] = idle;
      const replaced = longestIdle ?? findLate();
      if (replaced === undefined) return;
      close(replaced, "process");
    }
  };

  const setIdle = (socket: Socket) => {
    // A closed connection, or one of a proxy.
    if (addresses.get(socket) == null) return;
    unfinished.delete(socket);
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
      makeRoomInProcess();
      addresses.set(socket, address);
      socket.once("close", () => remove(socket));
      if (address === null) return;
      const own = byAddress.get(address) ?? new Set();
      byAddress.set(address, own.add(socket));
      countNetwork(address, 1);
      setIdle(socket);
    },
    makeRoomInProcess,
    setBusy: (socket, request) => {
      idle.delete(socket);
      // A closed connection, or one of a proxy.
      if (addresses.get(socket) == null) return;
      // Deleted first, because a map keeps the place of a key that is set again.
      unfinished.delete(socket);
      if (request !== null) unfinished.set(socket, { request, since: clock.now() });
    },
    setIdle,
  };
}
