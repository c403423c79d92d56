import { randomInt } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { selfSigned } from "./selfSigned.ts";

/** A name that only the tests' own resolver knows. */
export const untrustedHost = "documents.example";

export type UntrustedServer = {
  port: number;
  /** The certificate that a fetcher must trust. */
  ca: string;
  /** Returns the URL of a path. */
  url(path: string): string;
  close(): Promise<void>;
};

/** A real external https server: on a separate loopback address, under the name `documents.example`. */
export async function startUntrustedServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  address = "127.0.0.2",
): Promise<UntrustedServer> {
  const certificate = selfSigned([untrustedHost, "*.documents.example", "127.0.0.1", "127.0.0.2"]);
  const server = createHttpsServer({ ...certificate }, handle);
  const port = await listenOutsideEphemeralPorts(server, address);
  return {
    port,
    ca: certificate.cert,
    url: (path) => `https://${untrustedHost}:${port}${path}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Listens on a port that the system does not use as a local port (it uses 32768 and above), because a trap needs the
 * same port at another address. Returns the port.
 */
async function listenOutsideEphemeralPorts(server: Server, address: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(20_000, 32_000);
    server.listen(port, address);
    try {
      await once(server, "listening");
      return port;
    } catch (error) {
      if (attempt === 5 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

/** A listener that must never receive a connection: it counts connections. */
export async function startTrap(port = 0, address = "127.0.0.1") {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket.on("error", () => undefined));
  });
  server.listen(port, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
