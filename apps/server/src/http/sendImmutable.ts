import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CachedResponse } from "../cache/cachedResponse.ts";

/** Headers of untrusted bytes that never change: a browser shows them as their declared type and runs nothing. */
const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none';sandbox",
  "x-content-type-options": "nosniff",
};

/**
 * Sends bytes that never change under their URL: all of them, one range, or 304.
 *
 * @throws SlipwayError `range_not_satisfiable`.
 * Source: RFC 9110, 13.1 and 14.2.
 */
export function sendImmutable(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag, contentType }: CachedResponse,
) {
  const { "if-none-match": known, "if-range": condition, range } = request.headers;
  const isKnown = known?.split(",").some((tag) => [etag, "*"].includes(tag.trim().replace(/^W\//, "")));
  const wanted = condition === undefined || condition === etag ? parseRange(range, bytes.length) : null;
  reply.headers(headers).header("etag", etag);
  if (isKnown) return reply.code(304).send();
  reply.type(contentType).header("accept-ranges", "bytes");
  if (wanted === null) return reply.send(bytes);
  const { from, to } = wanted;
  reply.header("content-range", `bytes ${from}-${to}/${bytes.length}`);
  return reply.code(206).send(bytes.subarray(from, to + 1));
}

/** Parses a range; null means all bytes. Several ranges and other units are ignored, as the standard allows. */
function parseRange(range: string | undefined, length: number): { from: number; to: number } | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return null;
  const from = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== "" && last !== "" && Number(last) < from) return null;
  if (from >= length) {
    throw new SlipwayError("range_not_satisfiable", `The range begins after the last of ${length} bytes.`);
  }
  return { from, to };
}
