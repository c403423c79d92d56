import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { UntrustedFetchError } from "./untrustedFetchError.ts";

/** The value of Accept-Encoding. */
export const acceptedEncodings = "gzip, deflate, br";

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/**
 * Reads a body and decompresses it. Stops at the first byte beyond the limit, on the wire and after decompression, so that
 * neither an endless body nor a decompression bomb is buffered.
 *
 * @throws UntrustedFetchError `too_large`, `wrong_type`, `broken_body`; the stream's own error.
 */
export async function readBody(
  body: Readable,
  headers: Record<string, string>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const decoder = encoding === "identity" ? null : decoders[encoding as keyof typeof decoders];
  if (decoder === undefined) throw new UntrustedFetchError("wrong_type", "its content encoding is not supported");
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);

  const chunks: Uint8Array[] = [];
  const limited = limit(maxBytes);
  const collect = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  if (decoder === null) {
    await pipeline(body, limited, collect);
  } else {
    try {
      await pipeline(body, limited, decoder(), limit(maxBytes), collect);
    } catch (error) {
      // Errors of zlib mean an invalid body; all others are errors of the connection.
      if (!/^(Z_|ERR__)/.test((error as { code?: string }).code ?? "")) throw error;
      throw new UntrustedFetchError("broken_body", "its compression is broken", { cause: error });
    }
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

function limit(maxBytes: number) {
  return async function* (source: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
}

function tooLarge(maxBytes: number): UntrustedFetchError {
  return new UntrustedFetchError("too_large", `it is larger than ${maxBytes} bytes`);
}
