import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { selfSigned } from "../security/selfSigned.ts";
import { startTrap, untrustedHost } from "../security/untrustedServer.ts";
import { type Received, readRequest } from "./useWebhooks.ts";

/** What the receiver does instead of accepting a message. */
export const faults = [
  "refuses",
  "wrong certificate",
  "hangs",
  "500",
  "410",
  "redirects",
  "closes before its answer",
  "sends its head byte by byte",
] as const;

/** What the receiver does after it has accepted a message. */
const oddAnswers = ["closes midway", "endless body"] as const;

export type Behaviour = (typeof faults)[number] | (typeof oddAnswers)[number] | "accepts";

/** An https receiver of webhooks that fails in every way, at 127.0.0.2. */
export type FaultyReceiver = {
  port: number;
  ca: string;
  url(path: string): string;
  /** Every message that arrived, and those that were answered with 2xx. */
  received: Received[];
  accepted: Received[];
  /** Connections to the private address to which it redirects. */
  trapped(): number;
  close(): Promise<void>;
};

/** @param choose - Chooses the behaviour of each connection. */
export async function startFaultyReceiver(choose: () => Behaviour): Promise<FaultyReceiver> {
  const certificate = selfSigned([untrustedHost]);
  const wrong = selfSigned(["other.example"]);
  const trap = await startTrap();
  const behaviours = new WeakMap<Socket, Behaviour>();
  const received: Received[] = [];
  const accepted: Received[] = [];
  let next: Behaviour = "accepts";

  const server = createServer(
    {
      ...certificate,
      SNICallback: (_, done) => done(null, createSecureContext(next === "wrong certificate" ? wrong : certificate)),
    },
    (request, response) => {
      const take = (message: Received) => {
        received.push(message);
        const behaviour = behaviours.get(request.socket) ?? "accepts";
        if (!faults.includes(behaviour as (typeof faults)[number])) accepted.push(message);
        answer(behaviour, response, trap.port);
      };
      // A request that breaks off is no message.
      readRequest(request).then(take, () => undefined);
    },
  );
  server.on("connection", (socket: Socket) => {
    next = choose();
    if (next === "refuses") socket.destroy();
  });
  server.on("secureConnection", (socket: Socket) => behaviours.set(socket, next));
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.2");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ca: certificate.cert,
    url: (path) => `https://${untrustedHost}:${port}${path}`,
    received,
    accepted,
    trapped: trap.connections,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await trap.close();
    },
  };
}

function answer(behaviour: Behaviour, response: ServerResponse, trapPort: number): void {
  const { socket } = response;
  switch (behaviour) {
    case "500":
    case "410":
      response.writeHead(Number(behaviour)).end("internal details");
      return;
    case "redirects":
      response.writeHead(307, { location: `https://127.0.0.1:${trapPort}/` }).end();
      return;
    case "closes before its answer":
      socket!.end("HTTP/1.1 20");
      return;
    case "sends its head byte by byte": {
      const timer = setInterval(() => socket!.write("H"), 50);
      socket!.write("HTTP/1.1 200 OK\r\nx-slow: ");
      socket!.on("close", () => clearInterval(timer)).on("error", () => undefined);
      return;
    }
    case "closes midway":
      response.writeHead(200, { "content-length": 1_000 }).write("{");
      setImmediate(() => socket!.destroy());
      return;
    case "endless body": {
      response.writeHead(200);
      const timer = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
      response.on("close", () => clearInterval(timer));
      return;
    }
    case "accepts":
      response.writeHead(204).end();
      return;
    // These two have no request to answer.
    case "refuses":
    case "wrong certificate":
    case "hangs":
  }
}
