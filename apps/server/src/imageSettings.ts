import { z } from "zod";
import { createEnum, integer, list, secretText, url } from "./settingTypes.ts";

/** Settings of image uploads: decoding, storage, serving, pinning. `docs/operations.md` explains them. */
export const imageSettings = {
  /** Number of decoder processes; default: one less than the machine's cores. */
  IMAGE_PROCESSES: integer(1, 64).optional(),
  /** The folder of stored images if no S3 storage is configured; all processes must share it. */
  DATA_DIR: z.string().default("data"),
  /** Minimum free bytes of the disk of DATA_DIR; the service refuses uploads below this. 0 disables the check. */
  MEDIA_MIN_FREE_BYTES: integer(0, 2 ** 50).default(1024 ** 3),
  /** Maximum stored pictures of an account; 0 disables the limit. The default equals the maximum number of drafts. */
  MAX_ACCOUNT_IMAGES: integer(0, 1_000_000_000).default(1_000),
  /**
   * Maximum bytes of these pictures with their smaller versions; 0 disables the limit. Default: 0.25 MiB per picture.
   */
  MAX_ACCOUNT_IMAGE_BYTES: integer(0, 2 ** 50).default(256 * 1024 ** 2),
  /** S3-compatible storage of images: set all five settings, or none. */
  S3_ENDPOINT: url(["http:", "https:"]).optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: secretText(1).optional(),
  /** The bucket in the path of requests (`ENDPOINT/BUCKET`), not in the host's name. */
  S3_PATH_STYLE: createEnum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  /** The public URL of stored images: a bucket or CDN; default: `SITE_URL/media`. */
  MEDIA_PUBLIC_URL: url(["http:", "https:"]).optional(),
  /** Whether `/media` answers with the image or with a redirect to MEDIA_PUBLIC_URL. */
  MEDIA_SERVING: createEnum(["proxy", "redirect"]).default("proxy"),

  /** The service that pins images on IPFS: the RPC of a kubo node, the IPFS Pinning Service API, or Pinata. */
  PINNING_PROVIDER: createEnum(["kubo", "psa", "pinata"]).optional(),
  PINNING_URL: url(["http:", "https:"]).optional(),
  PINNING_TOKEN: secretText(1).optional(),
  /** For psa: multiaddrs of nodes from which the service can fetch the images. */
  PINNING_ORIGINS: list(z.string().startsWith("/", "must be a multiaddr, which begins with /")).default([]),
  /** How long an upload waits for its pin; afterwards the job retries it. */
  PINNING_TIMEOUT_MS: integer(100, 120_000).default(10_000),
  PIN_POLL_MS: integer(10, 3_600_000).default(5_000),
};

/** Returns the public base URL of stored images; null if neither setting is set. */
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

/** Returns the CID or SHA-256 in the URI of an upload: an ipfs URI or a URL of this service's pictures; else null. */
export function parseUploadUri(
  uri: string,
  { MEDIA_PUBLIC_URL, SITE_URL }: { MEDIA_PUBLIC_URL?: string | undefined; SITE_URL?: string | undefined },
): { cid: string | null; sha256: string | null } | null {
  const [, cid] = /^ipfs:\/\/(?:ipfs\/)?([a-z2-7]{59})$/.exec(uri) ?? [];
  if (cid !== undefined) return { cid, sha256: null };
  const bases = [MEDIA_PUBLIC_URL, SITE_URL === undefined ? undefined : `${new URL(SITE_URL).origin}/media`];
  for (const base of bases.filter((one) => one !== undefined)) {
    const prefix = `${base.replace(/\/+$/, "")}/`;
    const [, sha256] = /^([0-9a-f]{64})\.webp$/.exec(uri.startsWith(prefix) ? uri.slice(prefix.length) : "") ?? [];
    if (sha256 !== undefined) return { cid: null, sha256 };
  }
  return null;
}

const storageSettings = ["S3_ENDPOINT", "S3_BUCKET", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;

/** The required settings of each pinning service; the URL of Pinata is a constant. */
const neededForPinning: Record<string, readonly string[]> = {
  kubo: ["PINNING_URL"],
  psa: ["PINNING_URL", "PINNING_TOKEN"],
  pinata: ["PINNING_TOKEN"],
};

/** Finds incomplete groups of settings, which would silently disable the feature. */
export function findImageProblems(
  isSet: (name: string) => boolean,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const problems: string[] = [];
  const setNames = storageSettings.filter(isSet);
  if (setNames.length > 0) {
    for (const name of storageSettings.filter((name) => !isSet(name))) {
      problems.push(`${name}: is not set, but ${setNames[0]} is; set all of ${storageSettings.join(", ")}, or none`);
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
