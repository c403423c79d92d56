import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { computeHeliaCid } from "./computeHeliaCid.ts";

/** The stack's place for pictures on IPFS: what it accepts can be launched, and is served to this machine alone. */
export type PinningNode = {
  url: string;
  stop: () => Promise<void>;
};

const maxBytes = 64 * 1024 * 1024;

/**
 * Starts a server with the part of kubo's RPC that pins a file (`/api/v0/add`), and a gateway (`/ipfs/CID`). It stores
 * files in a folder and announces them to no network.
 */
export async function startPinningNode({ folder, port = 0 }: { folder: string; port?: number }): Promise<PinningNode> {
  mkdirSync(folder, { recursive: true });
  const server = createServer((request, response) => {
    answer(folder, request, response).catch((error: Error) => {
      response.writeHead(400, { "content-type": "text/plain" }).end(error.message);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, "http://node");
  const [, cid] = /^\/ipfs\/([a-z2-7]{59})$/.exec(pathname) ?? [];
  if (request.method === "GET" && cid !== undefined && existsSync(join(folder, cid))) {
    response.writeHead(200, { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" });
    response.end(await readFile(join(folder, cid)));
  } else if (request.method === "POST" && pathname === "/api/v0/add") {
    const bytes = await readFilePart(request);
    const added = await computeHeliaCid(bytes);
    writeFileSync(join(folder, added), bytes);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`${JSON.stringify({ Name: added, Hash: added, Size: String(bytes.length) })}\n`);
  } else {
    response.writeHead(404).end();
  }
}

/** The part `file` of a body of multipart/form-data. */
export async function readFilePart(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const file = (await new Response(Buffer.concat(chunks), { headers }).formData()).get("file");
  if (file === null || typeof file === "string") throw new Error("the body has no file");
  return new Uint8Array(await file.arrayBuffer());
}
