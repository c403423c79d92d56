import type { Config } from "../../config.ts";
import type { Runtime } from "../../runtime.ts";
import { createFileStorage } from "./fileStorage.ts";
import type { MediaStorage } from "./mediaStorage.ts";
import { createS3Storage } from "./s3Storage.ts";

/** Whether objects are in a bucket, and not on a disk of this machine. */
export function isInBucket(config: Pick<Config, "S3_ENDPOINT">): boolean {
  return config.S3_ENDPOINT !== undefined;
}

/** Creates the configured storage: S3 if its settings are set, otherwise files. */
export function createMediaStorage(runtime: Pick<Runtime, "config" | "clock" | "ids">): MediaStorage {
  const { config } = runtime;
  const { S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config;
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_REGION || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    return createFileStorage(runtime);
  }
  return createS3Storage({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    region: S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    pathStyle: config.S3_PATH_STYLE,
  });
}
