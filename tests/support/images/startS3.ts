import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";

/** A separate S3 server. */
export type S3Server = {
  /** The service's settings for this server. */
  settings: Record<string, string>;
  /** The replacement answer to a request: a status, or `hang` for no answer; null: the correct answer. */
  fault: number | "hang" | null;
  /** The number of further requests before every later one is answered with 500. */
  faultAfter: number | null;
  /** The method, path and status of every request. */
  seen: string[];
  /** The number of requests that `hang` leaves unanswered. */
  waiting: number;
  /** Removes an object. */
  remove: (key: string) => Promise<void>;
  stop: () => Promise<void>;
};

const credentials = { accessKeyId: "images-key", secretAccessKey: "images-secret/+=0123456789", region: "eu-test-1" };

const require = createRequire(import.meta.url);
// s3rver has no types.
const S3rver = require("s3rver") as new (
  options: object,
) => {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
};

/** s3rver accepts any signature, so a proxy in front of it verifies signatures like AWS. */
export async function startS3(): Promise<S3Server> {
  const folder = temporaryFolder();
  const bucket = "images";
  const s3 = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await s3.run();
  const server = { fault: null, faultAfter: null, seen: [], waiting: 0 } as unknown as S3Server;
  const proxy = createServer((request, response) => {
    void passOn(server, port, request, response).catch(() => response.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  server.settings = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: credentials.region,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    S3_PATH_STYLE: "true",
  };
  server.remove = async (key) => {
    await fetch(`http://127.0.0.1:${port}/${bucket}/${key}`, { method: "DELETE" });
  };
  server.stop = async () => {
    proxy.closeAllConnections();
    proxy.close();
    await s3.close();
    folder.remove();
  };
  return server;
}

async function passOn(server: S3Server, port: number, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const note = (status: number) => server.seen.push(`${request.method} ${request.url} ${status}`);
  if (server.fault === "hang") {
    server.waiting++;
    return;
  }
  const isOver = server.faultAfter !== null && server.faultAfter-- <= 0;
  const refusal = server.fault ?? (isOver ? 500 : null) ?? (isSigned(request, body) ? null : 403);
  if (refusal !== null) {
    note(refusal);
    const code = refusal === 403 ? "SignatureDoesNotMatch" : "InternalError";
    response.writeHead(refusal, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>planted-s3-message</Message></Error>`);
    return;
  }
  // The signature is verified here; s3rver knows only its own pair of keys.
  const { authorization: _, "x-amz-content-sha256": __, ...headers } = request.headers;
  const forwarded = sendRequest({ port, host: "127.0.0.1", method: request.method, path: request.url, headers });
  forwarded.end(body);
  const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
  note(answer.statusCode!);
  response.writeHead(answer.statusCode!, answer.headers);
  answer.pipe(response);
}

const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string) => createHmac("sha256", key).update(data).digest();

/**
 * Whether the request has the correct signature of exactly these bytes. Source: AWS Signature Version 4 for S3,
 * authorization header.
 */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const [, accessKey, day, region, names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (accessKey !== credentials.accessKeyId || region !== credentials.region) return false;
  if (headers["x-amz-content-sha256"] !== sha256(body)) return false;
  const { pathname, searchParams } = new URL(url!, "http://s3");
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join("&");
  const signedNames = names.split(";");
  if (!signedNames.includes("host") || !signedNames.includes("x-amz-content-sha256")) return false;
  const lines = signedNames.map((name) => `${name}:${String(headers[name]).trim()}\n`).join("");
  const canonical = [method, pathname, query, lines, names, sha256(body)].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${credentials.secretAccessKey}`, day!));
  return timingSafeEqual(Buffer.from(hmac(key, toSign).toString("hex")), Buffer.from(signature));
}
