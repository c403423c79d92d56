import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A severable proxy before a real service: after the cut, connections meet a closed port, as if the service had died.
 */
export type SeverableProxy = {
  url: string;
  cut: () => Promise<void>;
  /**
   * Once a connection sends this text, its answers are lost, but the request is still executed. Null: answers of later
   * connections are not lost any more.
   */
  loseAnswersTo: (text: string | null) => void;
};

/** Starts a proxy to the host of a URL. A second cut has no effect. */
export async function startSeverableProxy(url: string): Promise<SeverableProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  let lost: string | null = null;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    keep(near);
    keep(far);
    near.on("data", (chunk: Buffer) => {
      if (lost === null || !chunk.includes(lost)) return;
      far.unpipe(near);
      far.resume();
    });
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const way = new URL(url);
  way.hostname = "127.0.0.1";
  way.port = String((server.address() as AddressInfo).port);
  return {
    url: way.href,
    loseAnswersTo: (text) => {
      lost = text;
    },
    cut: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
