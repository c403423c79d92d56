import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { demoFeeds } from "./demoFeeds.ts";

/** The local feeds of listings, one for each format. */
export type FeedServer = {
  /** The server's settings that configure the feeds. */
  environment: Record<string, string>;
  stop: () => Promise<void>;
};

/** Starts an HTTP server on this machine that serves the demo's feeds. */
export async function startFeedServer(): Promise<FeedServer> {
  const documents = new Map(demoFeeds.map((feed) => [`/${feed.format}.json`, JSON.stringify(feed.document)]));
  const server = createServer((request, response) => {
    const document = documents.get(request.url ?? "");
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(document ?? "{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = demoFeeds.flatMap(({ prefix, format, name }) => [
    [`${prefix}_URL`, `http://127.0.0.1:${port}/${format}.json`],
    [`${prefix}_FORMAT`, format],
    [`${prefix}_NAME`, name],
  ]);
  return {
    environment: Object.fromEntries(settings) as Record<string, string>,
    stop: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
