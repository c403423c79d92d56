import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";

/** A simple query of exactly `commit`, in PostgreSQL's protocol (manual, 54.7: Query). */
const commit = Buffer.from("Q\0\0\0\vcommit\0", "latin1");

export type CommitCutter = {
  url: string;
  /** Connections that ended at COMMIT: before the server had it, and after it took effect. */
  cuts: { before: number; after: number };
  /** No more cuts from here on. */
  rest(): void;
  stop(): Promise<void>;
};

/**
 * A proxy before PostgreSQL that ends connections at COMMIT: every second one, in turn before the server gets it and
 * after it has answered, so that the client never learns which it was.
 */
export async function startCommitCutter(databaseUrl: string): Promise<CommitCutter> {
  const target = new URL(databaseUrl);
  const cuts = { before: 0, after: 0 };
  const sockets = new Set<Socket>();
  let [commits, isResting] = [0, false];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    let isLast = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("close", end).on("data", (data: Buffer) => {
      if (!isResting && data.includes(commit) && ++commits % 2 === 0) {
        if (cuts.before <= cuts.after) {
          cuts.before++;
          end();
          return;
        }
        cuts.after++;
        isLast = true;
      }
      upstream.write(data);
    });
    upstream.on("close", end).on("data", (data) => {
      if (isLast) end();
      else client.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cuts,
    rest: () => {
      isResting = true;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
