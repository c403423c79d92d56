import { type ListingSource, type PartnerSource, partnerSources } from "@slipway/protocol/businesses";
import type { Config } from "../../config.ts";
import type { FeedFormat } from "../../listingSettings.ts";

/** A configured source of listings. */
export type Feed = { source: PartnerSource; url: string; format: FeedFormat; name: string };

const settingNames = { partner_a: "PARTNER_A", partner_b: "PARTNER_B", partner_c: "PARTNER_C" } as const;

/** The configured feed of a source; null for none. */
export function getFeedUrl(config: Config, source: ListingSource): string | null {
  return source === "own" ? null : (config[`${settingNames[source]}_URL`] ?? null);
}

/** The feeds that the operator configured. */
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

/** Readings that may fail before a source is stale. */
const missedReadings = 3;

/** The age in milliseconds from which a source is stale. */
export const getStaleMs = (config: Pick<Config, "PARTNER_POLL_MS">) => config.PARTNER_POLL_MS * missedReadings;
