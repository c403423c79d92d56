import type { IncomingMessage } from "node:http";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FileBody } from "@slipway/protocol/operations/operationDefinition";
import { Counts } from "./overload/limiters.ts";
import { ErrorWithHeaders } from "./sendError.ts";

/** Maximum bytes of a request besides its file: boundaries, and the headers of the part. */
const maxOverheadBytes = 16 * 1024;

/** Maximum bytes that are discarded after a refusal, so that the caller can send the rest and read the response. */
const maxDiscardedBytes = 4 * 1024 * 1024;

/**
 * Maximum uploads in progress of a client address and of an account, from the first byte to the response. Accounts are free,
 * so that without the limit of an address one address could use the whole limit of the process.
 */
const maxInProgress = { address: 8, account: 4 };

/**
 * Maximum files of a process that have arrived and are being handled: each one uses the decoders. A file that is arriving
 * does not count, because its sender decides how long that takes.
 */
const maxHandled = 32;

/** Maximum bytes of a process in files that are arriving: 64 files of the maximum size. */
const maxArrivingBytes = 256 * 1024 * 1024;

/** The window in which the rate of an arriving body is measured. */
const rateWindowMs = 3_000;

/** The account and the client address of an upload. */
type Uploader = { accountId: string; clientAddress: string };

/** Reads a file and handles it. @throws SlipwayError `overloaded`; the errors of `readUpload` and of `handle`. */
export type TakeUpload = <T>(
  upload: { request: IncomingMessage; file: FileBody; uploader: Uploader },
  handle: (bytes: Buffer) => Promise<T>,
) => Promise<T>;

/**
 * Creates the function that reads uploads and limits the uploads in progress.
 *
 * @param minBytesPerSecond - The minimum rate of an arriving body; 0 for none.
 */
export function createTakeUpload(minBytesPerSecond: number): TakeUpload {
  const counts = new Counts();
  const arrivingBytes = new Counts();
  const requireRoom = (holders: readonly { name: string; max: number; whose: string }[]) => {
    const full = holders.find(({ name, max }) => counts.get(name) >= max);
    if (full) throw new SlipwayError("overloaded", `Too many uploads of ${full.whose} are in progress.`);
  };

  return async ({ request, file, uploader: { accountId, clientAddress } }, handle) => {
    const uploader = [
      { name: `account ${accountId}`, max: maxInProgress.account, whose: "this account" },
      { name: `address ${clientAddress}`, max: maxInProgress.address, whose: "this address" },
    ];
    const service = { name: "process", max: maxHandled, whose: "the service" };
    try {
      // The process is checked as well, so that most refusals come before the body.
      requireRoom([...uploader, service]);
    } catch (error) {
      endAfter(request);
      throw error;
    }
    for (const { name } of uploader) counts.add(name, 1);
    try {
      const bytes = await readUpload(request, file, { arrivingBytes, minBytesPerSecond });
      requireRoom([service]);
      counts.add(service.name, 1);
      try {
        return await handle(bytes);
      } finally {
        counts.add(service.name, -1);
      }
    } finally {
      for (const { name } of uploader) counts.add(name, -1);
    }
  };
}

/** The bytes of all files that are arriving, and the minimum rate of each one. */
type Arrival = { arrivingBytes: Counts; minBytesPerSecond: number };

/**
 * Reads the one file of a multipart/form-data body. Bytes beyond its limit are never stored, whatever Content-Length is.
 *
 * @throws SlipwayError `invalid_request` (another media type, another part, no file); `request_timeout` (too slow);
 *   `overloaded` (too many bytes are arriving); the file's code if it is too large. Source: RFC 7578.
 */
async function readUpload(request: IncomingMessage, file: FileBody, arrival: Arrival): Promise<Buffer> {
  const { arrivingBytes, minBytesPerSecond } = arrival;
  let counted = 0;
  const count = (bytes: number) => {
    if (arrivingBytes.get("process") + bytes > maxArrivingBytes) {
      throw new SlipwayError("overloaded", "Too many uploads are arriving.");
    }
    counted += bytes;
    arrivingBytes.add("process", bytes);
  };
  try {
    // A body that is too large is refused before it is read.
    if (Number(request.headers["content-length"] ?? 0) > file.maxBytes + maxOverheadBytes) throw tooLarge(file);
    return await parseUpload(request, file, { count, minBytesPerSecond });
  } catch (error) {
    endAfter(request);
    throw error;
  } finally {
    arrivingBytes.add("process", -counted);
  }
}

async function parseUpload(
  request: IncomingMessage,
  file: FileBody,
  { count, minBytesPerSecond }: { count: (bytes: number) => void; minBytesPerSecond: number },
): Promise<Buffer> {
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
  await readChunks(request, minBytesPerSecond, (chunk) => {
    total += chunk.length;
    count(chunk.length);
    if (total > file.maxBytes + maxOverheadBytes) refuse(tooLarge(file));
    else parser.write(chunk);
    if (state.fault !== null) throw state.fault;
  });
  parser.end();
  // The parser reports the end of its last part in one of the next iterations of the event loop.
  for (let i = 0; i < 10 && !isFinished && state.fault === null; i++)
    await new Promise((resolve) => setImmediate(resolve));
  if (state.fault !== null) throw state.fault;
  if (!isFinished || files === 0) throw malformed("has no part `file`");
  return Buffer.concat(chunks);
}

/**
 * Reads a body until its end.
 *
 * @throws SlipwayError `request_timeout` when the body arrives too slowly in two windows in a row, because a pause of this
 *   process makes one window slow; `invalid_request` when the caller disconnects; the errors of `handle`.
 */
async function readChunks(
  request: IncomingMessage,
  minBytesPerSecond: number,
  handle: (chunk: Buffer) => void,
): Promise<void> {
  if (request.destroyed) throw malformed("is incomplete");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const minBytes = (minBytesPerSecond * rateWindowMs) / 1_000;
  let received = 0;
  let slowWindows = 0;
  const checkRate = setInterval(() => {
    slowWindows = received < minBytes ? slowWindows + 1 : 0;
    received = 0;
    if (slowWindows === 2) reject(tooSlow(minBytesPerSecond));
  }, rateWindowMs);
  const onData = (chunk: Buffer) => {
    received += chunk.length;
    try {
      handle(chunk);
    } catch (error) {
      reject(error);
    }
  };
  request.on("data", onData);
  request.once("end", resolve);
  request.once("close", () => reject(malformed("is incomplete")));
  request.on("error", () => undefined);
  try {
    await promise;
  } finally {
    clearInterval(checkRate);
    request.off("data", onData);
  }
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

/** The connection ends, because the caller could send the rest for as long as it wants. */
const tooSlow = (minBytesPerSecond: number) =>
  new ErrorWithHeaders("request_timeout", `The file arrives more slowly than ${minBytesPerSecond} bytes a second.`, {
    connection: "close",
  });

/** Discards the rest of a refused body, and ends the connection if the caller sends too much. */
function endAfter(request: IncomingMessage): void {
  let left = maxDiscardedBytes;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  request.on("error", () => undefined);
}
