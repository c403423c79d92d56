import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import type { Limits } from "./limits/limits.ts";

/** Bytes of answers that are being sent, of a process and to one client address: each is in memory until it is read. */
const maxUnread = { process: 256 * 1024 * 1024, address: 64 * 1024 * 1024 };

/** Smaller answers are not counted: the operating system takes them whole. */
const minCountedBytes = 64 * 1024;

/** Headers of an answer that its refusal does not have. */
const answerHeaders = ["etag", "accept-ranges", "content-range", "content-encoding", "content-disposition"];

/**
 * Bounds what clients that ask and do not read can hold in memory. Streams are not counted: they are read as they are sent.
 *
 * The hook throws SlipwayError `rate_limited`, `overloaded`.
 */
export function limitUnread(app: FastifyInstance, { clientAddress }: Pick<Limits, "clientAddress">): void {
  const unread = new Map<string, number>();
  let total = 0;
  const add = (address: string, bytes: number) => {
    total += bytes;
    const left = (unread.get(address) ?? 0) + bytes;
    if (left > 0) unread.set(address, left);
    else unread.delete(address);
  };

  app.addHook("onSend", async (request, reply, payload) => {
    const bytes =
      typeof payload === "string" ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : 0;
    const isCounted = bytes >= minCountedBytes && reply.statusCode < 400 && request.method !== "HEAD";
    // Of a caller that is gone nothing waits.
    if (!isCounted || request.routeOptions.config?.neverShed || reply.raw.closed) return payload;
    const address = clientAddress(request.raw);
    const isFull = total + bytes > maxUnread.process;
    if (isFull || (unread.get(address) ?? 0) + bytes > maxUnread.address) {
      for (const name of answerHeaders) reply.removeHeader(name);
      if (isFull) throw new SlipwayError("overloaded", "Too many answers wait to be read.");
      throw new SlipwayError("rate_limited", "Too many answers to this address wait to be read; read them first.");
    }
    add(address, bytes);
    let isHeld = true;
    const release = () => {
      if (isHeld) add(address, -bytes);
      isHeld = false;
    };
    reply.raw.once("finish", release).once("close", release);
    return payload;
  });
}
