import { z } from "zod";
import { createEnum, integer, list, secretText, url } from "./settingTypes.ts";

/** Settings of image uploads: decoding, storage, serving, pinning. `docs/operations.md` explains them. */
export const imageSettings = {
  /** Decoder processes; one less than the machine has cores when left out. */
  IMAGE_PROCESSES: integer(1, 64).optional(),
  /** The folder of stored images where no S3 storage is set; all processes must share it. */
  DATA_DIR: z.string().default("data"),
  /** Free bytes of its disk below which uploads are refused; 0 for no bound. */
  MEDIA_MIN_FREE_BYTES: integer(0, 2 ** 50).default(1024 ** 3),
  /** Pictures that an account may have stored; 0 for no bound. As many as drafts. */
  MAX_ACCOUNT_IMAGES: integer(0, 1_000_000_000).default(1_000),
  /** Bytes of them, of their smaller versions too; 0 for no bound. The default is a quarter of MiB for each picture. */
  MAX_ACCOUNT_IMAGE_BYTES: integer(0, 2 ** 50).default(256 * 1024 ** 2),
  /** S3-compatible storage of images: all five, or none. */
  S3_ENDPOINT: url(["http:", "https:"]).optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: secretText(1).optional(),
  /** The bucket in the path of requests (`ENDPOINT/BUCKET`), not in the host's name. */
  S3_PATH_STYLE: createEnum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  /** Where stored images are reached from outside: a bucket or CDN; `SITE_URL/media` when left out. */
  MEDIA_PUBLIC_URL: url(["http:", "https:"]).optional(),
  /** What `/media` answers: the image, or a redirect to MEDIA_PUBLIC_URL. */
  MEDIA_SERVING: createEnum(["proxy", "redirect"]).default("proxy"),

  /** How images get onto IPFS: the RPC of a kubo node, the IPFS Pinning Service API, or Pinata. */
  PINNING_PROVIDER: createEnum(["kubo", "psa", "pinata"]).optional(),
  PINNING_URL: url(["http:", "https:"]).optional(),
  PINNING_TOKEN: secretText(1).optional(),
  /** For psa: multiaddrs of nodes from which the service can fetch the images. */
  PINNING_ORIGINS: list(z.string().startsWith("/", "must be a multiaddr, which begins with /")).default([]),
  /** How long an upload waits for its pin; the job goes on with it later. */
  PINNING_TIMEOUT_MS: integer(100, 120_000).default(10_000),
  PIN_POLL_MS: integer(10, 3_600_000).default(5_000),
};

/** The address below which stored images are reached; null where neither setting names one. */
export function getMediaUrl({
  MEDIA_PUBLIC_URL,
  SITE_URL,
}: {
  MEDIA_PUBLIC_URL?: string | undefined;
  SITE_URL?: string | undefined;
}): string | null {
  const base = MEDIA_PUBLIC_URL ?? (SITE_URL === undefined ? null : `${new URL(SITE_URL).origin}/media`);
  return base?.replace(/\/+$/, "") ?? null;
}

const storageSettings = ["S3_ENDPOINT", "S3_BUCKET", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;

/** What each kind of pinning service cannot do without; Pinata's address is known. */
const neededForPinning: Record<string, readonly string[]> = {
  kubo: ["PINNING_URL"],
  psa: ["PINNING_URL", "PINNING_TOKEN"],
  pinata: ["PINNING_TOKEN"],
};

/** Settings that are missing beside others: half of them would silently switch the feature off. */
export function findImageProblems(
  isSet: (name: string) => boolean,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const problems: string[] = [];
  const given = storageSettings.filter(isSet);
  if (given.length > 0) {
    for (const name of storageSettings.filter((name) => !isSet(name))) {
      problems.push(`${name}: is not set, but ${given[0]} is; set all of ${storageSettings.join(", ")}, or none`);
    }
  }
  if (env.MEDIA_SERVING === "redirect") {
    for (const name of ["MEDIA_PUBLIC_URL", "S3_ENDPOINT"].filter((name) => !isSet(name))) {
      problems.push(`${name}: is not set, but MEDIA_SERVING is redirect; set it, or MEDIA_SERVING=proxy`);
    }
  }
  const provider = env.PINNING_PROVIDER;
  for (const name of neededForPinning[provider ?? ""] ?? []) {
    if (!isSet(name)) problems.push(`${name}: is not set, but PINNING_PROVIDER is ${provider}; set it`);
  }
  for (const name of ["PINNING_URL", "PINNING_TOKEN"].filter((name) => isSet(name) && !isSet("PINNING_PROVIDER"))) {
    problems.push(`PINNING_PROVIDER: is not set, but ${name} is; set both, or neither`);
  }
  return problems;
}
