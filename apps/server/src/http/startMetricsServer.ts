import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Deps } from "../deps.ts";
import { createMetricsReader } from "../features/health/createMetricsReader.ts";

/** Far more than the monitoring of one process uses. */
const maxConnections = 50;

/**
 * Starts the server of `GET /metrics` and `GET /healthz` at METRICS_HOST, for every role. It serves nothing else and has
 * no rate limit, because only the operator's monitoring reaches its address.
 *
 * @throws The error of the system if it cannot listen at this address.
 */
export async function startMetricsServer(
  deps: Pick<Deps, "clock" | "config" | "log" | "metrics">,
  port: number,
): Promise<{ stop(): Promise<void> }> {
  const { config, log } = deps;
  const readMetrics = createMetricsReader(deps);
  const server = createServer(({ method, url }, response) => {
    response.setHeader("cache-control", "no-store");
    const path = method === "GET" ? url?.split("?", 1)[0] : null;
    if (path === "/healthz") {
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end('{"status":"alive"}');
      return;
    }
    if (path !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    readMetrics().then(
      ({ bytes, contentType }) => response.writeHead(200, { "content-type": contentType }).end(bytes),
      (error: unknown) => {
        log.error({ err: error }, "metrics not served");
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = maxConnections;
  server.listen(port, config.METRICS_HOST);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  log.info({ host: config.METRICS_HOST, port: address.port }, "metrics listening");
  return {
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
