import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An address that leads to one server, and after a move to another, such as a DNS name or a virtual address. */
export type MovableProxy = {
  url: string;
  /** Ends the connections; later connections lead to the server of this URL. */
  moveTo(url: string): void;
  stop(): Promise<void>;
};

export async function startMovableProxy(target: string): Promise<MovableProxy> {
  let { port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    moveTo: (next) => {
      port = new URL(next).port;
      endConnections();
    },
    stop: async () => {
      server.close();
      endConnections();
      await once(server, "close");
    },
  };
}
