import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of empty pages that are the same for every host name: each name below `localhost` is a separate origin. */
export type PageServer = {
  port: number;
  /** Returns the origin of a host name, as its pages send it. */
  toOrigin(host: string): string;
  close(): Promise<void>;
};

/** Starts the server on a free port. */
export async function servePages(): Promise<PageServer> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>a page of a test</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    toOrigin: (host) => `http://${host}:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
