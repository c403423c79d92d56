/**
 * A JSON-RPC server over a recorded chain; all answers are serialised in advance, so that the server costs little. node
 * bench/index/replay.ts <record> [port]; prints {"port", "head"} when it is ready. GET /stats returns the requests
 * since the last GET /reset, and the time of the first one (Unix milliseconds).
 */
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";

type Log = { address: string; topics: string[]; json: string };
type Block = { full: string; plain: string; receipts: string; logs: Log[]; txs: string[] };

const record = process.argv[2]!;
const { code } = JSON.parse(readFileSync(`${dirname(record)}/facts.json`, "utf8")) as { code: Record<string, string> };
const blocks: Block[] = [];
const numberOf = new Map<string, number>();
const txPlace = new Map<string, [number, number]>();
const receiptOf = new Map<string, string>();
const lines = createInterface({ input: createReadStream(record).pipe(createGunzip()) });
for await (const line of lines) {
  const { b, r } = JSON.parse(line);
  const number = Number(b.number);
  numberOf.set(b.hash, number);
  for (const [i, tx] of b.transactions.entries()) txPlace.set(tx.hash, [number, i]);
  for (const receipt of r) receiptOf.set(receipt.transactionHash, JSON.stringify(receipt));
  blocks[number] = {
    full: JSON.stringify(b),
    plain: JSON.stringify({ ...b, transactions: b.transactions.map((tx: { hash: string }) => tx.hash) }),
    receipts: JSON.stringify(r),
    logs: r
      .flatMap((receipt: { logs: object[] }) => receipt.logs)
      .map((log: { address: string; topics: string[] }) => ({
        address: log.address.toLowerCase(),
        topics: log.topics,
        json: JSON.stringify(log),
      })),
    txs: b.transactions.map((tx: object) => JSON.stringify(tx)),
  };
}
const head = blocks.length - 1;
let stats: Record<string, { calls: number; bytes: number }> = {};
let firstRequestAt: number | null = null;
/** The distance in blocks from the head to `safe` and `finalized`. */
const finality = 64;

function answer(method: string, params: any[]): string | undefined {
  const at = (tag: string) => {
    if (tag === "latest") return blocks[head];
    if (tag === "finalized" || tag === "safe") return blocks[Math.max(0, head - finality)];
    return blocks[tag.length === 66 ? numberOf.get(tag)! : Number(tag)];
  };
  switch (method) {
    case "eth_chainId":
      return '"0xb626"';
    case "eth_blockNumber":
      return `"0x${head.toString(16)}"`;
    case "eth_getCode":
      return JSON.stringify(code[params[0].toLowerCase()] ?? "0x");
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber": {
      const block = at(params[0]);
      return block ? (params[1] ? block.full : block.plain) : "null";
    }
    case "eth_getBlockReceipts":
      return at(params[0])?.receipts ?? "null";
    case "eth_getTransactionReceipt":
      return receiptOf.get(params[0]) ?? "null";
    case "eth_getTransactionByHash": {
      const place = txPlace.get(params[0]);
      return place ? blocks[place[0]]!.txs[place[1]] : "null";
    }
    case "eth_getLogs":
      return getLogs(params[0]);
    default:
      return undefined;
  }
}

function getLogs(filter: {
  fromBlock: string;
  toBlock: string;
  blockHash?: string;
  address?: string | string[];
  topics?: (string | string[] | null)[];
}): string {
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat().map((a) => a.toLowerCase()));
  const topics = filter.topics?.[0] ? new Set([filter.topics[0]].flat()) : null;
  const found: string[] = [];
  const only = filter.blockHash === undefined ? null : numberOf.get(filter.blockHash)!;
  const to = only ?? (filter.toBlock === "latest" ? head : Math.min(head, Number(filter.toBlock)));
  for (let number = only ?? Number(filter.fromBlock); number <= to; number++) {
    for (const log of blocks[number]!.logs) {
      if (addresses && !addresses.has(log.address)) continue;
      if (topics && !topics.has(log.topics[0]!)) continue;
      found.push(log.json);
    }
  }
  return `[${found.join(",")}]`;
}

function one(call: { id: number; method: string; params?: any[] }): string {
  const result = answer(call.method, call.params ?? []);
  stats[call.method] ??= { calls: 0, bytes: 0 };
  const stat = stats[call.method]!;
  stat.calls++;
  stat.bytes += result?.length ?? 0;
  return result === undefined
    ? `{"jsonrpc":"2.0","id":${call.id},"error":{"code":-32601,"message":"method ${call.method} not found"}}`
    : `{"jsonrpc":"2.0","id":${call.id},"result":${result}}`;
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    let text: string;
    if (request.method === "GET") {
      text = JSON.stringify({ stats, firstRequestAt });
      if (request.url === "/reset") [stats, firstRequestAt] = [{}, null];
    } else {
      firstRequestAt ??= Date.now();
      const body = JSON.parse(Buffer.concat(parts).toString());
      text = Array.isArray(body) ? `[${body.map(one).join(",")}]` : one(body);
    }
    const bytes = Buffer.from(text, "latin1");
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[3] ?? 0), "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, head }));
});
