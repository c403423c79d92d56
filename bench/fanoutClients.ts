import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/**
 * Many WebSocket clients in one process, with minimal cost: they read frames from plain sockets and record the arrival
 * of each message. Supports only text messages, which both servers of `fanout.ts` send.
 */

/** Messages from the parent: first the address to connect to, then `report`. */
export type ClientsOrder = { port: number; path: string; key: string; clients: number; subscription: string | null };

/** The answer to `report`: arrival times of each message at each client, in milliseconds since the epoch. */
export type Arrivals = { number: number; at: number }[];

const arrivals: Arrivals = [];
const marker = Buffer.from('"tx_hash":"0x');
const connectBatchSize = 50;

/** Creates a frame of the client; the mask may be all zeros. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]),
    payload,
  ]);
}

/** Calls `onText` with each complete text message. */
function readFrames(socket: Socket, onText: (payload: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const short = rest[1]! & 127;
      const head = short < 126 ? 2 : 4;
      if (rest.length < head) return;
      const length = short < 126 ? short : rest.readUInt16BE(2);
      if (rest.length < head + length) return;
      if ((rest[0]! & 15) === 1) onText(rest.subarray(head, head + length));
      rest = rest.subarray(head + length);
    }
  });
}

async function join({ port, path, key, subscription }: ClientsOrder): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
    const handshake = [
      ...[`GET ${path} HTTP/1.1`, "host: 127.0.0.1", "connection: Upgrade", "upgrade: websocket"],
      ...["sec-websocket-version: 13", `sec-websocket-key: ${randomBytes(16).toString("base64")}`],
      ...[`authorization: Bearer ${key}`, "", ""],
    ];
    socket.write(handshake.join("\r\n"));
    socket.once("data", (answer: Buffer) => {
      if (!answer.toString("latin1").startsWith("HTTP/1.1 101")) return reject(new Error(answer.toString("latin1")));
      readFrames(socket, (payload) => {
        const found = payload.indexOf(marker);
        if (found === -1) return resolve();
        const number = Number.parseInt(
          payload.toString("latin1", found + marker.length, found + marker.length + 64),
          16,
        );
        arrivals.push({ number, at: performance.timeOrigin + performance.now() });
      });
      if (subscription === null) resolve();
      else socket.write(clientFrame(subscription));
    });
  });
}

process.on("message", (order: ClientsOrder | "report") => {
  if (order === "report") return process.send!(arrivals.splice(0));
  const joinAll = async () => {
    for (let done = 0; done < order.clients; done += connectBatchSize) {
      const count = Math.min(connectBatchSize, order.clients - done);
      await Promise.all(Array.from({ length: count }, () => join(order)));
    }
    process.send!("joined");
  };
  joinAll().catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
});
