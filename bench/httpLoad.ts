import { connect, type Socket } from "node:net";
import { percentile } from "./percentile.ts";

export type Load = { requests: number; seconds: number; p50Ms: number; p99Ms: number };

const headEnd = Buffer.from("\r\n\r\n");

/**
 * Sends GET requests for one path over keep-alive connections for some time, one request at a time on each. All answers
 * must have the length of the first answer, which determines where answers end; any other length is an error.
 */
export async function load(port: number, path: string, connections: number, milliseconds: number): Promise<Load> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n\r\n`);
  const length = await answerLength(port, request);
  const times: number[] = [];
  const started = performance.now();
  const deadline = started + milliseconds;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await open(port);
      await new Promise<void>((resolve, reject) => {
        let received = 0;
        let sentAt = 0;
        const send = () => {
          sentAt = performance.now();
          socket.write(request);
        };
        socket.on("error", reject);
        socket.on("close", () => reject(new Error("the server closed the connection")));
        socket.on("data", (chunk: Buffer) => {
          if (received === 0 && chunk.length > 12 && chunk.toString("latin1", 9, 12) !== "200") {
            reject(new Error(`answered ${chunk.toString("latin1", 0, 80)}`));
          }
          received += chunk.length;
          if (received < length) return;
          if (received > length) reject(new Error("an answer had another length than the first"));
          received = 0;
          const now = performance.now();
          times.push(now - sentAt);
          if (now < deadline) return send();
          socket.removeAllListeners("close");
          socket.destroy();
          resolve();
        });
        send();
      });
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { requests: times.length, seconds, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Reads the bytes of one complete answer, head and body. */
async function answerLength(port: number, request: Buffer): Promise<number> {
  const socket = await open(port);
  try {
    return await new Promise<number>((resolve, reject) => {
      let bytes = Buffer.alloc(0);
      socket.on("error", reject);
      socket.on("data", (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        const end = bytes.indexOf(headEnd);
        if (end === -1) return;
        const found = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end));
        if (!found) return reject(new Error("an answer without content-length"));
        const length = end + headEnd.length + Number(found[1]);
        if (bytes.length >= length) resolve(length);
      });
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}
