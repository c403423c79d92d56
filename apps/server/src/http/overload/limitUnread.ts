import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import { Counts } from "./limiters.ts";
import type { Limits } from "./limits.ts";

/** Maximum bytes of answers that are being sent, in total and to one client address. An answer stays in memory until the client has read it. */
const maxUnread = { process: 256 * 1024 * 1024, address: 64 * 1024 * 1024 };

/** Smaller answers are not counted: the operating system buffers them. */
const minCountedBytes = 64 * 1024;

/** Headers of the answer that are removed when an error is sent instead. */
const answerHeaders = ["etag", "accept-ranges", "content-range", "content-encoding", "content-disposition"];

/**
 * Limits the memory that clients can occupy by requesting answers and not reading them. Streams have their own limits.
 *
 * The hook throws SlipwayError `rate_limited`, `overloaded`.
 */
export function limitUnread(app: FastifyInstance, { clientAddress }: Pick<Limits, "clientAddress">): void {
  const unread = new Counts();
  let total = 0;
  const add = (address: string, bytes: number) => {
    total += bytes;
    unread.add(address, bytes);
  };

  app.addHook("onSend", async (request, reply, payload) => {
    const bytes =
      typeof payload === "string" ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : 0;
    const isCounted = bytes >= minCountedBytes && reply.statusCode < 400 && request.method !== "HEAD";
    // A caller that has disconnected occupies no memory.
    if (!isCounted || request.routeOptions.config?.neverShed || reply.raw.closed) return payload;
    const address = clientAddress(request.raw);
    const isFull = total + bytes > maxUnread.process;
    if (isFull || unread.get(address) + bytes > maxUnread.address) {
      for (const name of answerHeaders) reply.removeHeader(name);
      if (isFull)
        throw new SlipwayError("overloaded", "The server is sending too many large answers. Try again later.");
      throw new SlipwayError(
        "rate_limited",
        "Too many answers to this address have not been read. Read them before you request more.",
      );
    }
    add(address, bytes);
    let isCountedNow = true;
    const release = () => {
      if (isCountedNow) add(address, -bytes);
      isCountedNow = false;
    };
    reply.raw.once("finish", release).once("close", release);
    return payload;
  });
}
