import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HeliaNode, openHeliaNode } from "@slipway/dev/pinning/openHeliaNode";
import { readFilePart } from "@slipway/dev/pinning/startPinningNode";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";

/** The kind of failure of a request; a number is a status. */
export type PinningFault =
  | number
  | "hang"
  | "reset"
  | "redirect"
  | "other cid"
  | "HTML"
  | "no JSON"
  | "other JSON"
  | "endless"
  | "never pinned"
  | "failed";

export type PinningServer = {
  url: string;
  /** Null: requests get the correct answer. */
  fault: PinningFault | null;
  /** The CIDs in the order of their pins, with repetitions. */
  pinned: string[];
  /** The method and path of every request. */
  seen: string[];
  /** The values of the header Authorization. */
  tokens: Set<string>;
  /** The bodies of new requests of the Pinning Service API. */
  requests: Record<string, unknown>[];
  /** The folder of the blocks of added files. */
  node: HeliaNode;
  stop: () => Promise<void>;
};

const planted = "planted-by-the-pinning-service";

/**
 * A server with kubo's RPC, the IPFS Pinning Service API and Pinata's API, which can fail in every way. It adds the
 * received files to a Helia node whose blocks are files.
 */
export async function startPinning(): Promise<PinningServer> {
  const folder = temporaryFolder();
  const node = await openHeliaNode(folder.path);
  const state = {
    fault: null,
    pinned: [],
    seen: [],
    tokens: new Set(),
    requests: [],
    node,
  } as unknown as PinningServer;
  const server = createServer((request, response) => {
    state.seen.push(`${request.method} ${request.url!.split("?")[0]}`);
    state.tokens.add(request.headers.authorization ?? "none");
    void answer(state, request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.stop = async () => {
    server.closeAllConnections();
    server.close();
    await node.stop();
    folder.remove();
  };
  return state;
}

async function answer(state: PinningServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sendJson = (value: unknown, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const { pathname, searchParams } = new URL(request.url!, state.url);
  const { fault } = state;
  if (fault === "hang") return;
  if (typeof fault === "number") return sendJson({ error: planted }, fault);
  if (fault === "reset") return void response.destroy();
  if (fault === "redirect") return void response.writeHead(302, { location: `${state.url}/elsewhere` }).end();
  if (fault === "HTML") return void response.end(`<html>${planted}</html>`);
  if (fault === "no JSON") return void response.end("{");
  if (fault === "other JSON") return sendJson({ Hash: 7, IpfsHash: null, results: {}, requestid: "" });
  if (fault === "endless") {
    const timer = setInterval(() => response.write("x".repeat(100_000)), 1);
    response.on("close", () => clearInterval(timer));
    return;
  }
  const toAnswered = (cid: string) =>
    fault === "other cid" ? `${cid.slice(0, -1)}${cid.endsWith("a") ? "b" : "a"}` : cid;
  const pin = (cid: string) => {
    state.pinned.push(cid);
    return toAnswered(cid);
  };

  if (pathname === "/api/v0/add")
    return sendJson({ Name: "x", Hash: pin(await state.node.add(await readFilePart(request))) });
  if (pathname === "/pinning/pinFileToIPFS")
    return sendJson({ IpfsHash: pin(await state.node.add(await readFilePart(request))) });
  if (pathname === "/pins" && request.method === "GET") {
    const found = state.requests.findIndex(({ cid }) => cid === searchParams.get("cid"));
    return sendJson({ count: 0, results: found === -1 ? [] : [describe(state, found)] });
  }
  if (pathname === "/pins") {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    state.requests.push(JSON.parse(Buffer.concat(chunks).toString()));
    return sendJson({ ...describe(state, state.requests.length - 1), status: "queued" }, 202);
  }
  const [, index] = /^\/pins\/request-(\d+)$/.exec(pathname) ?? [];
  if (index === undefined) return sendJson({ error: planted }, 404);
  const described = describe(state, Number(index));
  if (described.status === "pinned" && !state.pinned.includes(described.cid)) state.pinned.push(described.cid);
  return sendJson({ ...described, pin: { cid: toAnswered(described.cid) } });
}

function describe({ requests, fault }: PinningServer, index: number) {
  const cid = String(requests[index]!.cid);
  const status = fault === "never pinned" ? "pinning" : fault === "failed" ? "failed" : "pinned";
  return { requestid: `request-${index}`, status, cid, pin: { cid }, delegates: [] };
}
