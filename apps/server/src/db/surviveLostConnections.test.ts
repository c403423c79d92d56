import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/** A message of PostgreSQL's protocol: type, length, content. */
function createMessage(type: string, content: Buffer | string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(content));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

const authenticated = createMessage("R", Buffer.alloc(4));
const ready = createMessage("Z", "I");
const terminated = createMessage("E", "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0");

test("C3-04 a connection that is accepted and closed in one packet does not end the process", async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([authenticated, ready, terminated])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pool = surviveLostConnections(new pg.Pool({ host: "127.0.0.1", port, user: "x", database: "x", max: 1 }));
  onTestFinished(async () => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const client = await pool.connect();
  await expect(client.query("select 1")).rejects.toThrow();
  client.release(true);
  expect(sockets).toHaveLength(1);
});
