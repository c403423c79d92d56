import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A simple query of exactly `commit`, in PostgreSQL's protocol (manual, 54.7: Query). */
const commit = Buffer.from("Q\0\0\0\vcommit\0", "latin1");

export type CommitSeveringProxy = {
  url: string;
  /** The numbers of connections severed at COMMIT: before the server received it, and after it took effect. */
  severed: { before: number; after: number };
  /** From now on, connections stay intact. */
  stopSevering(): void;
  stop(): Promise<void>;
};

/**
 * A proxy before PostgreSQL that severs connections at every second COMMIT, alternately before the server receives the
 * COMMIT and after the server has answered, so that the client cannot know the outcome.
 */
export async function startCommitSeveringProxy(databaseUrl: string): Promise<CommitSeveringProxy> {
  const target = new URL(databaseUrl);
  const cuts = { before: 0, after: 0 };
  const sockets = new Set<Socket>();
  let [commits, isPaused] = [0, false];
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
      if (!isPaused && data.includes(commit) && ++commits % 2 === 0) {
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
    severed: cuts,
    stopSevering: () => {
      isPaused = true;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
