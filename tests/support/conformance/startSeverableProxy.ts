import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a real service that can be cut: what goes through it then meets a closed port, as when the service died. */
export type SeverableProxy = {
  url: string;
  cut: () => Promise<void>;
  /**
   * From the moment that this text is sent through, that connection's answers are lost: what was asked is done all the
   * same. Null: the answers of further connections are not lost any more.
   */
  loseAnswersTo: (text: string | null) => void;
};

/** Opens a way to where a URL points. Cutting it twice does nothing more. */
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
