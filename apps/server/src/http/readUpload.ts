import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FileBody } from "@slipway/protocol/operations/operationDefinition";
import { Counts } from "./overload/limiters.ts";

/** Maximum bytes of a request besides its file: boundaries, and the headers of the part. */
const maxOverheadBytes = 16 * 1024;

/** Maximum bytes that are discarded after a refusal, so that the caller can send the rest and read the response. */
const maxDiscardedBytes = 4 * 1024 * 1024;

/**
 * Maximum uploads in progress of a process, a client address and an account, from the first byte to the response. Each upload
 * keeps a file in memory and uses the decoders. Accounts are free, so that without the limit of an address one address could
 * use the whole limit of the process.
 */
const maxInProgress = { process: 32, address: 8, account: 4 };

/** The account and the client address of an upload. */
type Uploader = { accountId: string; clientAddress: string };

/** Reads a file and handles it. @throws SlipwayError `overloaded`; the errors of `readUpload` and of `handle`. */
export type TakeUpload = <T>(
  upload: { request: IncomingMessage; file: FileBody; uploader: Uploader },
  handle: (bytes: Buffer) => Promise<T>,
) => Promise<T>;

/** Creates the function that reads uploads and limits the uploads in progress. */
export function createTakeUpload(): TakeUpload {
  const counts = new Counts();
  return async ({ request, file, uploader: { accountId, clientAddress } }, handle) => {
    const holders = [
      { name: `account ${accountId}`, max: maxInProgress.account, whose: "this account" },
      { name: `address ${clientAddress}`, max: maxInProgress.address, whose: "this address" },
      { name: "process", max: maxInProgress.process, whose: "the service" },
    ];
    const full = holders.find(({ name, max }) => counts.get(name) >= max);
    if (full !== undefined) {
      endAfter(request);
      throw new SlipwayError("overloaded", `Too many uploads of ${full.whose} are in progress.`);
    }
    for (const { name } of holders) counts.add(name, 1);
    try {
      return await handle(await readUpload(request, file));
    } finally {
      for (const { name } of holders) counts.add(name, -1);
    }
  };
}

/**
 * Reads the one file of a multipart/form-data body. Bytes beyond its limit are never stored, whatever Content-Length is.
 *
 * @throws SlipwayError `invalid_request` (another media type, another part, no file); the file's code if it is too large.
 * Source: RFC 7578.
 */
export async function readUpload(request: IncomingMessage, file: FileBody): Promise<Buffer> {
  try {
    // A body that is too large is refused before it is read.
    if (Number(request.headers["content-length"] ?? 0) > file.maxBytes + maxOverheadBytes) throw tooLarge(file);
    return await parseUpload(request, file);
  } catch (error) {
    endAfter(request);
    throw error;
  }
}

async function parseUpload(request: IncomingMessage, file: FileBody): Promise<Buffer> {
  const parser = createParser(request);
  const chunks: Buffer[] = [];
  const state: { fault: SlipwayError | null } = { fault: null };
  let files = 0;
  let isFinished = false;
  const refuse = (error: SlipwayError) => {
    state.fault ??= error;
  };
  const refusePart = (name: string) => refuse(malformed(`has the part ${JSON.stringify(name.slice(0, 40))}`));

  parser.on("file", (name, stream) => {
    if (name !== "file") refusePart(name);
    if (++files > 1) refuse(malformed("has more than one part"));
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > file.maxBytes) refuse(tooLarge(file));
      if (state.fault === null) chunks.push(chunk);
    });
    stream.on("error", () => refuse(malformed("is incomplete")));
  });
  parser.on("field", (name) => refusePart(name));
  parser.on("partsLimit", () => refuse(malformed("has more than one part")));
  parser.on("finish", () => (isFinished = true));
  parser.on("error", () => refuse(malformed("is not valid multipart/form-data, or is incomplete")));

  let total = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > file.maxBytes + maxOverheadBytes) refuse(tooLarge(file));
    else parser.write(chunk);
    if (state.fault !== null) throw state.fault;
  }
  parser.end();
  // The parser reports the end of its last part in one of the next iterations of the event loop.
  for (let i = 0; i < 10 && !isFinished && state.fault === null; i++)
    await new Promise((resolve) => setImmediate(resolve));
  if (state.fault !== null) throw state.fault;
  if (!isFinished || files === 0) throw malformed("has no part `file`");
  return Buffer.concat(chunks);
}

function createParser(request: IncomingMessage): BusboyInstance {
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) throw malformed("is not multipart/form-data with a boundary");
  try {
    return new Busboy({
      headers: { "content-type": type } as BusboyHeaders,
      // The part is a file even if it has no file name.
      isPartAFile: (name) => name === "file",
      limits: { fieldSize: 1_024, fieldNameSize: 100, headerPairs: 20, headerSize: 4_096, parts: 1 },
    });
  } catch {
    throw malformed("is not multipart/form-data with a boundary");
  }
}

const malformed = (what: string) =>
  new SlipwayError("invalid_request", `The body ${what}; send multipart/form-data with one part \`file\`.`);

const tooLarge = ({ maxBytes, tooLarge }: FileBody) =>
  new SlipwayError(tooLarge, `The file is larger than ${maxBytes} bytes.`);

/** Discards the rest of a refused body, and ends the connection if the caller sends too much. */
function endAfter(request: IncomingMessage): void {
  let left = maxDiscardedBytes;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  request.on("error", () => undefined);
}
