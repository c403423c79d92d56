import { connect, type Socket } from "node:net";
import { errorBody } from "@slipway/protocol/errorBody";
import { parseConfig } from "@slipway/server/config";
import { startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { unlimited } from "../support/conformance/unlimited.ts";
import { type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { openSocket, readAnswers, untilClosed } from "../support/security/rawHttp.ts";

let servers: ApiServers;
beforeAll(async () => {
  servers = await openApiServers();
});
afterAll(() => servers?.close());

const api = "/api/v1/launchpad";
const host = "Host: x\r\n";

/** Whether a server rejects new connections; existing ones are still read. */
async function isClosed(port: number): Promise<boolean> {
  const socket: Socket = connect({ port, host: "127.0.0.1" });
  return await new Promise((resolve) => {
    socket.once("error", () => resolve(true));
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });
}

describe("C4-29 a server that is stopping", () => {
  it("answers every request over an open connection with 503 as an Error, and when to come back", async () => {
    const server = await startServer({
      config: parseConfig({
        DATABASE_URL: servers.databaseUrl,
        RPC_URL: "http://127.0.0.1:9",
        ROLES: "api",
        PORT: "0",
        HEADERS_TIMEOUT_MS: "60000",
        REQUEST_TIMEOUT_MS: "60000",
        ...unlimited,
      }),
      log: pino({ level: "silent" }),
      clock: systemClock,
    });
    const port = Number(new URL(server.url!).port);
    const credential = `Authorization: Bearer ${servers.apiKey}\r\n`;
    const body = `${credential}Content-Type: application/json\r\nIdempotency-Key: while-draining\r\nContent-Length: 2\r\n`;
    const handshake = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`;
    const requests = [
      `GET /healthz HTTP/1.1\r\n${host}`,
      `GET /readyz HTTP/1.1\r\n${host}`,
      `GET ${api}/tokens HTTP/1.1\r\n${host}`,
      `GET /nothing HTTP/1.1\r\n${host}`,
      `OPTIONS /healthz HTTP/1.1\r\n${host}`,
      `GET /docs/ HTTP/1.1\r\n${host}`,
      `GET ${api}/intents HTTP/1.1\r\n${host}${credential}`,
      `POST ${api}/intents HTTP/1.1\r\n${host}${body}`,
      `POST ${api}/intents HTTP/1.1\r\n${host}${body}Expect: 100-continue\r\n`,
      `GET /healthz HTTP/1.0\r\n${host}Connection: keep-alive\r\n`,
      `GET /ws HTTP/1.1\r\n${host}${handshake}${credential}`,
      `GET /ws HTTP/1.1\r\n${host}`,
    ];
    // A pending request keeps its connection open.
    const open = await Promise.all(
      requests.map(async (head) => {
        const socket = await openSocket(port);
        socket.write(head);
        return { socket, head, text: untilClosed(socket) };
      }),
    );
    // Earlier messages are read first.
    expect((await fetch(`${server.url}/healthz`, { headers: { connection: "close" } })).status).toBe(200);

    const stopped = server.stop();
    await vi.waitUntil(() => isClosed(port), { timeout: 60_000, interval: 20 });
    for (const { socket, head } of open) socket.write(head.startsWith("POST") ? "\r\n{}" : "\r\n");
    for (const { head, text } of open) {
      const [answer, ...others] = readAnswers((await text).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ""));
      expect([head, answer?.status, others]).toEqual([head, 503, []]);
      const { error } = errorBody.parse(JSON.parse(answer!.body));
      expect(error).toMatchObject({ code: "overloaded", retryable: true, request_id: answer!.headers["x-request-id"] });
      expect(answer!.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(answer!.headers).toMatchObject({
        connection: "close",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
    }
    await stopped;
  });
});
