import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Clock } from "../clock.ts";
import { createFairQueue } from "./createFairQueue.ts";
import { createIsolatedPool } from "./createIsolatedPool.ts";
import type { EncodedImage, EncodeResult } from "./encodeImage.ts";

export type ImageDecoder = {
  /**
   * Decodes and encodes a picture in a decoder process.
   *
   * @param uploader - The client address and the account of an upload. Without them, uploads are decoded first.
   * @throws SlipwayError `unsupported_image_type`, `invalid_fields` (a broken limit), `overloaded` (too many wait, or the
   *   picture waited too long).
   */
  encode(file: Uint8Array, uploader?: { clientAddress: string; accountId: string }): Promise<EncodedImage>;
  /** Ends the processes. */
  stop(): Promise<void>;
};

/**
 * The maximum time of a process for one picture before it is killed; the CPU time limit of the process ends it earlier.
 */
const deadlineMs = 60_000;
/**
 * Maximum waiting uploads, and as many pictures of jobs. With the pictures that are being decoded, they take fewer places
 * than the service has for uploads (`http/readUpload.ts`): uploads that wait for their turn close no others out.
 */
const maxWaiting = 16;
/** The maximum wait of an upload for its turn. */
export const maxWaitMs = 10_000;

/**
 * Creates the pool of decoder processes. They start with the first picture. A process that crashes or exceeds its
 * deadline is killed and replaced; a picture whose process crashed is tried once more.
 *
 * @param options.program - Replaces `decodeImage.ts` in tests.
 */
export function createImageDecoder(options: {
  clock: Pick<Clock, "sleep">;
  processes?: number;
  program?: string;
  deadlineMs?: number;
}): ImageDecoder {
  const processes = options.processes ?? Math.max(1, availableParallelism() - 1);
  const program = options.program ?? fileURLToPath(new URL("decodeImage.ts", import.meta.url));
  const pool = createIsolatedPool<Uint8Array, EncodeResult>({
    clock: options.clock,
    program,
    processes,
    deadlineMs: options.deadlineMs ?? deadlineMs,
    name: "decodeImage",
    libraries: ["sharp", "ipfs-unixfs-importer"],
  });
  const queue = createFairQueue({
    clock: options.clock,
    places: processes,
    maxWaiting,
    maxWaitMs,
    refusal: "Too many pictures wait to be decoded.",
  });

  const decode = async (file: Uint8Array): Promise<EncodeResult> => {
    const result = await pool.run(file);
    if (result !== "timeout") return result;
    return { ok: false, code: "invalid_fields", message: "The picture takes too long to decode." };
  };

  return {
    encode: async (file, uploader) => {
      if (!hasKnownSignature(file)) throw new SlipwayError("unsupported_image_type");
      const clients = uploader === undefined ? [] : [uploader.clientAddress, uploader.accountId];
      const result = await queue.run(clients, () => decode(file).catch(() => decode(file).catch(toCrash)));
      if (!result.ok) {
        throw new SlipwayError(result.code, result.message, result.code === "invalid_fields" ? { field: "file" } : {});
      }
      return result.image;
    },
    stop: () => pool.stop(),
  };
}

/** The refusal of a file that crashes the decoder twice. */
const toCrash = (): EncodeResult => ({
  ok: false,
  code: "unsupported_image_type",
  message: "The file could not be decoded.",
});

/** First bytes of PNG, JPEG, GIF87a, GIF89a; WebP has its name after the length of its RIFF container. */
const signatures = ["89504e470d0a1a0a", "ffd8ff", "474946383761", "474946383961"].map((hex) => Buffer.from(hex, "hex"));

/** Whether a file begins with the signature of one of the formats; the decoder checks the rest. */
function hasKnownSignature(file: Uint8Array): boolean {
  const head = Buffer.from(file.buffer, file.byteOffset, Math.min(12, file.length));
  if (signatures.some((signature) => head.subarray(0, signature.length).equals(signature))) return true;
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
}
