import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of empty pages, the same for every host name: each name below `localhost` is an origin of its own. */
export type PageServer = {
  port: number;
  /** The origin of a host name here, as its pages send it. */
  toOrigin(host: string): string;
  close(): Promise<void>;
};

/** Starts it on a port of its own. */
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
