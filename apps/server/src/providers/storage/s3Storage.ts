import type { S3Client } from "@aws-sdk/client-s3";
import type { Secret } from "../../secret.ts";
import { type MediaStorage, MediaStorageError } from "./mediaStorage.ts";

/** Maximum duration of one request to the storage, including its retries. */
const deadlineMs = 20_000;

/** An object never changes, so that any cache may keep it. */
const cacheControl = "public, max-age=31536000, immutable";

/** Stores images in a bucket of an S3-compatible storage. */
export function createS3Storage(options: {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  pathStyle: boolean;
}): MediaStorage {
  const { bucket } = options;
  // The SDK is large: only a process that uses the storage loads it.
  let loaded: Promise<Loaded> | null = null;
  const request = <T>(work: (s3: Loaded, call: { abortSignal: AbortSignal }) => Promise<T>) =>
    translate(async () => {
      loaded ??= load(options);
      return await work(await loaded, { abortSignal: AbortSignal.timeout(deadlineMs) });
    });

  return {
    put: (key, bytes, contentType) =>
      request(async ({ sdk, client }, call) => {
        const object = { Bucket: bucket, Key: key, Body: bytes, ContentType: contentType, CacheControl: cacheControl };
        await client.send(new sdk.PutObjectCommand(object), call);
      }),
    get: (key) =>
      request(async ({ sdk, client }, call) => {
        try {
          const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), call);
          return Buffer.from(await Body!.transformToByteArray());
        } catch (error) {
          return nullIfMissing(error);
        }
      }),
    has: (key) =>
      request(async ({ sdk, client }, call) => {
        try {
          await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }), call);
          return true;
        } catch (error) {
          return nullIfMissing(error) !== null;
        }
      }),
  };
}

type Loaded = { sdk: typeof import("@aws-sdk/client-s3"); client: S3Client };

async function load(options: Parameters<typeof createS3Storage>[0]): Promise<Loaded> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    endpoint: options.endpoint,
    region: options.region,
    forcePathStyle: options.pathStyle,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey.revealText() },
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, socketTimeout: 10_000 },
    // Not every S3-compatible storage supports the checksums that the SDK adds by default.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { sdk, client };
}

/** Returns null if the object does not exist; a missing bucket is a fault of the settings. */
function nullIfMissing(error: unknown): null {
  const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
  if (name === "NoSuchKey" || (name === "NotFound" && $metadata?.httpStatusCode === 404)) return null;
  throw error;
}

async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MediaStorageError("the S3 storage of images cannot be used", { cause: error });
  }
}
