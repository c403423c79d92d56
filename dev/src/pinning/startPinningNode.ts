import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HeliaNode, openHeliaNode } from "./openHeliaNode.ts";

/** The stack's pinning node for pictures: accepted files can be launched, and are served only to this machine. */
export type PinningNode = {
  url: string;
  stop: () => Promise<void>;
};

const maxBytes = 64 * 1024 * 1024;

/**
 * Starts a server with the part of kubo's RPC that pins a file (`/api/v0/add`), and a gateway (`/ipfs/CID`), in front
 * of a Helia node.
 */
export async function startPinningNode({ folder, port = 0 }: { folder: string; port?: number }): Promise<PinningNode> {
  let opened: Promise<HeliaNode> | null = null;
  const open = () => (opened ??= openHeliaNode(folder));
  const server = createServer((request, response) => {
    answer(open, request, response).catch((error: Error) => {
      response.writeHead(400, { "content-type": "text/plain" }).end(error.message);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // Loads Helia immediately, so that it is ready for the first picture; a failure becomes the answer to that picture.
  open().catch(() => undefined);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await (await opened)?.stop();
    },
  };
}

async function answer(
  open: () => Promise<HeliaNode>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url!, "http://node");
  const [, cid] = /^\/ipfs\/([a-z2-7]{59})$/.exec(pathname) ?? [];
  if (request.method === "GET" && cid !== undefined) {
    const file = await (await open()).read(cid);
    if (file === null) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" });
    response.end(file);
  } else if (request.method === "POST" && pathname === "/api/v0/add") {
    const bytes = await readFilePart(request);
    const added = await (await open()).add(bytes);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`${JSON.stringify({ Name: added, Hash: added, Size: String(bytes.length) })}\n`);
  } else {
    response.writeHead(404).end();
  }
}

/** Reads the part `file` of a multipart/form-data body. */
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
