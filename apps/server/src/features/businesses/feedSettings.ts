import { type ListingSource, type PartnerSource, partnerSources } from "@slipway/protocol/businesses";
import type { Config } from "../../config.ts";
import type { FeedFormat } from "../../listingSettings.ts";

/** A configured source of listings. */
export type Feed = { source: PartnerSource; url: string; format: FeedFormat; name: string };

const settingNames = { partner_a: "PARTNER_A", partner_b: "PARTNER_B", partner_c: "PARTNER_C" } as const;

/** Returns the URL of the configured feed of a source; null if there is none. */
export function getFeedUrl(config: Config, source: ListingSource): string | null {
  return source === "own" ? null : (config[`${settingNames[source]}_URL`] ?? null);
}

/** Lists the feeds that the operator configured. */
export function listFeeds(config: Config): Feed[] {
  return partnerSources.flatMap((source) => {
    const url = getFeedUrl(config, source);
    const prefix = settingNames[source];
    if (url === null) return [];
    return [
      { source, url, format: config[`${prefix}_FORMAT`] ?? "json-feed", name: config[`${prefix}_NAME`] ?? source },
    ];
  });
}

/** Number of missed readings after which a source is stale. */
const missedReadings = 3;

/** Age in milliseconds at which a source becomes stale. */
export const getStaleMs = (config: Pick<Config, "PARTNER_POLL_MS">) => config.PARTNER_POLL_MS * missedReadings;
