import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** A bare `ws` server that sends each message of its parent to all its clients. */
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on("message", (text: string) => {
  for (const client of sockets.clients) client.send(text);
});
