import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

let servers: ApiServers;
beforeAll(async () => {
  servers = await openApiServers();
});
afterAll(() => servers?.close());

const path = "/api/v1/launchpad/nothing";

/** A connection, and the head of the response to its request, or null if it was closed instead. */
type Asked = { socket: Socket; head: string | null };

/** Opens connections one after the other, and sends a request over each one that is not found. */
async function flood({ port }: ApiServer, count: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answer = await Promise.race([once(socket, "data"), once(socket, "close").then(() => null)]);
    asked.push({ socket, head: answer === null ? null : String(answer[0]) });
  }
  return asked;
}

/** Returns the status of a request from another address of this machine. */
async function askFrom(localAddress: string, { port }: ApiServer): Promise<number> {
  const sent = request({ port, host: "127.0.0.1", path: "/healthz", localAddress, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

describe("C4-56 a client that opens connections and never closes them", () => {
  it("keeps at most the limit of its address, and others are served", async () => {
    const server = await servers.open({
      MAX_CONNECTIONS: "60",
      STREAMS_PER_ADDRESS: "5",
      CONNECTIONS_PER_ADDRESS: "5",
    });
    const asked = await flood(server, 80);
    await expect.poll(() => asked.filter(({ socket }) => !socket.closed).length).toBeLessThanOrEqual(10);
    expect(await askFrom("127.0.0.2", server)).toBe(200);
    await server.stop();
  });

  it("loses a connection whose request was above a rate limit, and no other", async () => {
    // Thirty reads in thirty seconds.
    const server = await servers.open({ READ_LIMIT_PER_SECOND: "1", READ_LIMIT_BURST: "30" });
    const asked = await flood(server, 50);
    const refused = asked.filter(({ head }) => head?.startsWith("HTTP/1.1 429 "));
    expect(refused.length).toBeGreaterThan(0);
    for (const { head } of refused) expect(head).toMatch(/\r\nconnection: close\r\n/i);
    await expect.poll(() => refused.every(({ socket }) => socket.closed)).toBe(true);
    for (const { head, socket } of asked) if (head?.startsWith("HTTP/1.1 404 ")) expect(socket.closed).toBe(false);
    await server.stop();
  });

  it("closes no connection of a trusted proxy", async () => {
    const server = await servers.open({ TRUST_PROXY: "true", READ_LIMIT_PER_SECOND: "1", READ_LIMIT_BURST: "1" });
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    const statuses = new Set<string>();
    for (let n = 0; n < 5; n++) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n`);
      statuses.add(String((await once(socket, "data"))[0]).slice(9, 12));
    }
    expect(statuses).toContain("429");
    expect(socket.closed).toBe(false);
    socket.destroy();
    await server.stop();
  });
});
