import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FileBody } from "@slipway/protocol/operations/operationDefinition";

/** Bytes of a request besides its file: boundaries, and the headers of the part. */
const maxOverheadBytes = 16 * 1024;

/** Bytes that are discarded after a refusal, so that the caller can send the rest and read the answer. */
const maxDiscardedBytes = 4 * 1024 * 1024;

/**
 * Uploads that a process, a client address and an account may have in progress, from their first byte to their answer: each
 * holds a file in memory, and takes turns of the decoders. Accounts are free, so that their bound alone would let one
 * address take the places of all others.
 */
const maxInProgress = { process: 32, address: 8, account: 4 };

/** Whose an upload is. */
type Uploader = { accountId: string; clientAddress: string };

/** Reads a file and handles it. @throws SlipwayError `overloaded`, those of `readUpload`, and what `handle` throws. */
export type TakeUpload = <T>(
  upload: { request: IncomingMessage; file: FileBody; uploader: Uploader },
  handle: (bytes: Buffer) => Promise<T>,
) => Promise<T>;

/** Creates what takes uploads, and counts those in progress. */
export function createTakeUpload(): TakeUpload {
  const counts = new Map<string, number>();
  return async ({ request, file, uploader: { accountId, clientAddress } }, handle) => {
    const holders = [
      { name: `account ${accountId}`, max: maxInProgress.account, whose: "this account" },
      { name: `address ${clientAddress}`, max: maxInProgress.address, whose: "this address" },
      { name: "process", max: maxInProgress.process, whose: "the service" },
    ];
    const full = holders.find(({ name, max }) => (counts.get(name) ?? 0) >= max);
    if (full !== undefined) {
      endAfter(request);
      throw new SlipwayError("overloaded", `Too many uploads of ${full.whose} are in progress.`);
    }
    for (const { name } of holders) counts.set(name, (counts.get(name) ?? 0) + 1);
    try {
      return await handle(await readUpload(request, file));
    } finally {
      for (const { name } of holders) {
        const left = counts.get(name)! - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      }
    }
  };
}

/**
 * Reads the one file of a multipart/form-data body. Nothing beyond its limit is stored, whatever Content-Length says.
 *
 * @throws SlipwayError `invalid_request` (no such body, another part, no file), and the code of a file that is too large.
 * Source: RFC 7578.
 */
export async function readUpload(request: IncomingMessage, file: FileBody): Promise<Buffer> {
  try {
    // A body that cannot fit is refused before a byte of it is read.
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
    stream.on("error", () => refuse(malformed("is cut off")));
  });
  parser.on("field", (name) => refusePart(name));
  parser.on("partsLimit", () => refuse(malformed("has more than one part")));
  parser.on("finish", () => (isFinished = true));
  parser.on("error", () => refuse(malformed("is no multipart/form-data, or it is cut off")));

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
      // A part is a file whether or not it names one.
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

/** Discards what follows of a refused body, and ends the connection of a caller that goes on for too long. */
function endAfter(request: IncomingMessage): void {
  let left = maxDiscardedBytes;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  request.on("error", () => undefined);
}
