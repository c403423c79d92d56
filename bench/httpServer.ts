import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startReadModel } from "@slipway/server/cache/startReadModel";
import { createBenchApp } from "./queryApp.ts";

/** The order of the parent: the kind of server to start. `answers` are by path; bodies in base64. */
export type ServerOrder =
  | { kind: "slipway"; databaseUrl: string }
  | { kind: "bare"; answers: Record<string, { body: string; headers: Record<string, string> }> };

/** A server in its own process; answers every message with its used CPU time, in microseconds. */
async function serve(order: ServerOrder): Promise<number> {
  if (order.kind === "slipway") {
    const { app, deps } = await createBenchApp(order.databaseUrl);
    startReadModel(deps);
    await app.listen({ host: "127.0.0.1", port: 0 });
    return (app.server.address() as AddressInfo).port;
  }
  const answers = new Map(
    Object.entries(order.answers).map(([path, { body, headers }]) => [
      path,
      { headers, bytes: Buffer.from(body, "base64") },
    ]),
  );
  const server = createServer((request, response) => {
    const { bytes, headers } = answers.get(request.url!)!;
    response.writeHead(200, headers).end(bytes);
  });
  // Like the application: each response contains the value.
  server.keepAliveTimeout = 72_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

process.once("message", (order: ServerOrder) => {
  serve(order).then(
    (port) => {
      process.on("message", () => {
        const { user, system } = process.cpuUsage();
        process.send!({ cpuMicros: user + system });
      });
      process.send!({ port });
    },
    (error: unknown) => {
      process.stderr.write(`${(error as Error).stack}\n`);
      process.exit(1);
    },
  );
});
