import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Many clients of WS /ws/risk in one process, with minimal cost: they count bytes of frames from plain sockets and
 * record the start of each message.
 */

/** Messages from the parent: first the address to connect to, then `report`. */
export type RiskClientsOrder = { port: number; path: string; key: string; clients: number };

/** The answer to `report`: the message times of each client and the delay of this process, in milliseconds. */
export type RiskArrivals = { arrivals: number[][]; ownDelayP99: number };

const delayResolution = 10;
const delays = monitorEventLoopDelay({ resolution: delayResolution });
const arrivals: number[][] = [];
const connectBatchSize = 50;

/** Returns the length of a frame whose head begins a chunk; null if the head is incomplete. */
function readFrame(chunk: Buffer): { total: number; isText: boolean } | null {
  if (chunk.length < 10) return chunk.length === 2 ? { total: 2, isText: false } : null;
  const short = chunk[1]! & 127;
  const isText = (chunk[0]! & 15) === 1;
  if (short < 126) return { total: 2 + short, isText };
  if (short === 126) return { total: 4 + chunk.readUInt16BE(2), isText };
  return { total: 10 + Number(chunk.readBigUInt64BE(2)), isText };
}

async function join({ port, path, key }: RiskClientsOrder): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const times: number[] = [];
  arrivals.push(times);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
    const handshake = [
      ...[`GET ${path} HTTP/1.1`, "host: 127.0.0.1", "connection: Upgrade", "upgrade: websocket"],
      ...["sec-websocket-version: 13", `sec-websocket-key: ${randomBytes(16).toString("base64")}`],
      ...[`authorization: Bearer ${key}`, "", ""],
    ];
    socket.write(handshake.join("\r\n"));
    let head = "";
    /** The bytes of the current frame that are still missing. */
    let left = 0;
    let isOpen = false;
    const readFrames = (data: Buffer) => {
      let rest = data;
      while (rest.length > 0) {
        const skipped = Math.min(left, rest.length);
        left -= skipped;
        rest = rest.subarray(skipped);
        const frame = rest.length === 0 ? null : readFrame(rest);
        if (frame === null) return;
        if (frame.isText) times.push(performance.now());
        // A client must answer pings.
        if ((rest[0]! & 15) === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
        left = frame.total;
      }
    };
    socket.on("data", (chunk: Buffer) => {
      if (isOpen) return readFrames(chunk);
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!head.startsWith("HTTP/1.1 101")) return reject(new Error(head));
      isOpen = true;
      resolve();
      readFrames(Buffer.from(head.slice(end + 4), "latin1"));
    });
  });
}

process.on("message", (order: RiskClientsOrder | "report") => {
  if (order === "report") {
    const report: RiskArrivals = { arrivals, ownDelayP99: delays.percentile(99) / 1e6 - delayResolution };
    return process.send!(report);
  }
  const joinAll = async () => {
    for (let done = 0; done < order.clients; done += connectBatchSize) {
      const count = Math.min(connectBatchSize, order.clients - done);
      await Promise.all(Array.from({ length: count }, () => join(order)));
    }
    delays.enable();
    process.send!("joined");
  };
  joinAll().catch((error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
});
