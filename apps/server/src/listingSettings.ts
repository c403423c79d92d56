import { z } from "zod";
import { createEnum, httpsOrLoopbackUrl, integer } from "./settingTypes.ts";

/** The formats of external feeds of listings. */
export const feedFormats = ["json-feed", "schema-org", "token-list"] as const;
export type FeedFormat = (typeof feedFormats)[number];

const feedUrl = httpsOrLoopbackUrl.optional();
const feedFormat = createEnum(feedFormats).optional();
/** The name of the source that each listing of the feed shows. */
const feedName = z.string().trim().min(1).max(80).optional();

/** Settings of businesses: external feeds and the proofs of websites. `docs/operations.md` explains them. */
export const listingSettings = {
  PARTNER_A_URL: feedUrl,
  PARTNER_A_FORMAT: feedFormat,
  PARTNER_A_NAME: feedName,
  PARTNER_B_URL: feedUrl,
  PARTNER_B_FORMAT: feedFormat,
  PARTNER_B_NAME: feedName,
  PARTNER_C_URL: feedUrl,
  PARTNER_C_FORMAT: feedFormat,
  PARTNER_C_NAME: feedName,
  /** The interval between two reads of a feed. */
  PARTNER_POLL_MS: integer(10, 86_400_000).default(900_000),
  /** The interval between two searches for due website proofs. */
  WEBSITE_PROOF_POLL_MS: integer(10, 3_600_000).default(2_000),
};

/** Finds feeds with a format or a name but without a URL, which would be silently disabled. */
export function findListingProblems(isSet: (name: string) => boolean): string[] {
  return ["PARTNER_A", "PARTNER_B", "PARTNER_C"].flatMap((prefix) =>
    ["FORMAT", "NAME"]
      .filter((suffix) => isSet(`${prefix}_${suffix}`) && !isSet(`${prefix}_URL`))
      .map((suffix) => `${prefix}_URL: is not set, but ${prefix}_${suffix} is; set both, or neither`),
  );
}
