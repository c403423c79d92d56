import { z } from "zod";
import { categorySlugs } from "./businessCategories.ts";
import { countryCodes } from "./countries.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";
import { preparePublishedText } from "./publishedText.ts";
import { parsePublishedUri, type UriScheme } from "./publishedUri.ts";
import { maxCountedMatches, maxScannedRows } from "./searchLimits.ts";
import { text } from "./text.ts";

/** Text for display; the error names the rejected code point. */
const published = (maxLength: number, lines = false) =>
  z
    .string()
    .superRefine((value, context) => {
      const prepared = preparePublishedText(value, { maxLength, lines });
      if (prepared.ok) return;
      const { reason, message } = prepared.refusal;
      context.addIssue({ code: "custom", message, params: { reason } });
    })
    .meta({ minLength: 1, maxLength });

/** A URI in a form that all parsers interpret identically. */
const uri = (schemes: readonly UriScheme[]) =>
  text()
    .superRefine((value, context) => {
      const parsed = parsePublishedUri(value, schemes);
      if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.message, params: { reason: parsed.reason } });
    })
    .meta({ minLength: 1, maxLength: 256 });

/** The allowed hosts of each kind of link. */
const linkHosts = {
  x: ["x.com", "twitter.com"],
  github: ["github.com"],
  telegram: ["t.me", "telegram.me"],
  discord: ["discord.gg", "discord.com"],
  farcaster: ["farcaster.xyz", "warpcast.com"],
  instagram: ["instagram.com"],
  youtube: ["youtube.com", "youtu.be"],
} as const;

export type LinkName = keyof typeof linkHosts;

export const linkNames = Object.keys(linkHosts) as LinkName[];

/** Whether a normalised https URI points to an allowed host of its kind of link. */
export function isLinkOfHost(name: LinkName, link: string): boolean {
  const url = URL.parse(link);
  return (
    url !== null && url.port === "" && linkHosts[name].some((host) => [host, `www.${host}`].includes(url.hostname))
  );
}

const link = (name: LinkName) =>
  uri(["https"]).superRefine((value, context) => {
    const parsed = parsePublishedUri(value, ["https"]);
    if (!parsed.ok || isLinkOfHost(name, parsed.uri)) return;
    const message = `must be a link to ${linkHosts[name].join(" or ")}`;
    context.addIssue({ code: "custom", message, params: { reason: "other_host" } });
  });

const links = z.strictObject(
  Object.fromEntries(linkNames.map((name) => [name, link(name).optional()])) as Record<
    LinkName,
    z.ZodOptional<z.ZodString>
  >,
);

const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be two capital letters (ISO 3166-1 alpha-2)")
  .refine((code) => countryCodes.has(code), "is not a country of ISO 3166-1");

const location = z.strictObject({ lat: z.number().min(-90).max(90), lon: z.number().min(-180).max(180) });

const tag = z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -");

/** The maximum lengths of the texts of a listing, in code points. */
export const listingLengths = { name: 80, description: 2_000, hours: 500 } as const;

/** A business as its owner publishes it. It has no token, wallet, draft or market. */
export const businessInput = z
  .strictObject({
    name: published(listingLengths.name),
    description: published(listingLengths.description, true),
    category: z.enum(categorySlugs),
    website: uri(["https"]).optional(),
    image_uri: uri(["ipfs", "https"]).optional(),
    email: z.email().max(254).optional().describe("A public contact."),
    phone: z
      .string()
      .regex(/^\+[1-9]\d{1,14}$/, "must be + and 2 to 15 digits (E.164)")
      .optional(),
    address: z
      .strictObject({
        street: published(200).optional(),
        city: published(100).optional(),
        region: published(100).optional(),
        postal_code: published(20).optional(),
        country: country.optional(),
      })
      .optional(),
    location: location.optional(),
    hours: published(listingLengths.hours, true).optional(),
    tags: z.array(tag).max(10).optional(),
    links: links.optional(),
  })
  .meta({
    id: "BusinessInput",
    description: "A business as its owner publishes it, without a token, wallet or market.",
  });

export type BusinessInput = z.infer<typeof businessInput>;

/** The sources of external listings. */
export const partnerSources = ["partner_a", "partner_b", "partner_c"] as const;
export type PartnerSource = (typeof partnerSources)[number];
/** The sources of listings that are stored. */
export const listingSources = ["own", ...partnerSources] as const;
export type ListingSource = (typeof listingSources)[number];
export const directorySources = [...listingSources, "legacy"] as const;
export type DirectorySource = (typeof directorySources)[number];
export const listingKinds = ["business", "token"] as const;

const listingImage = z.object({
  uri: z.string().describe("The URL of the image in the listing."),
  sha256: z.string().nullable().describe("The SHA-256 of the stored image; null if this service does not store it."),
  width: z.int().nullable(),
  height: z.int().nullable(),
  animated: z.boolean().nullable(),
  blurhash: z.string().nullable(),
  dominant_color: z.string().nullable(),
  urls: z.record(z.string(), z.string()).nullable().describe("The URLs of the stored image by size in pixels."),
});

const nullableText = z.string().nullable();

/** A published listing; fields that are unknown are null. */
export const business = z
  .object({
    id: z.string().describe("The id; `SOURCE:ID` for an external listing. Percent-encode it in paths."),
    kind: z.enum(listingKinds),
    source: z.enum(directorySources),
    name: z.string(),
    description: nullableText,
    category: z.enum(categorySlugs),
    website: nullableText,
    image: listingImage.nullable(),
    location: z.object({ lat: z.number(), lon: z.number() }).nullable(),
    address: z
      .object({
        street: nullableText,
        city: nullableText,
        region: nullableText,
        postal_code: nullableText,
        country: nullableText,
      })
      .nullable(),
    contact: z.object({ email: nullableText, phone: nullableText, hours: nullableText }),
    links: z.object(
      Object.fromEntries(linkNames.map((name) => [name, z.string().optional()])) as Record<
        LinkName,
        z.ZodOptional<z.ZodString>
      >,
    ),
    tags: z.array(z.string()),
    token: z
      .object({ chain_id: z.int(), address: addressOut, symbol: nullableText, decimals: z.int().nullable() })
      .nullable(),
    attribution: z
      .object({
        source_name: z.string(),
        url: nullableText,
        fetched_at: dateTime.nullable(),
        licence: nullableText,
      })
      .describe("The source of the listing."),
    verified: z.object({
      website: z.boolean().describe("The last check found the verification code of this listing on the website."),
      owner: z.boolean().describe("Every link in `links` is verified, and at least one link exists."),
      links: z
        .object(
          Object.fromEntries(linkNames.map((name) => [name, z.boolean().optional()])) as Record<
            LinkName,
            z.ZodOptional<z.ZodBoolean>
          >,
        )
        .describe(
          "For each link in `links`: whether the account has verified the handle in the link. Only `x` and `github` can " +
            "be verified.",
        ),
    }),
    also_on: z
      .array(z.object({ source: z.enum(directorySources), id: z.string(), url: nullableText }))
      .optional()
      .describe("In the directory: other sources that list the same business."),
    status: z.literal("published"),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    id: "Business",
    description: "A published listing; unknown values are null. A listing does not make a token tradable.",
  });

export type Business = z.infer<typeof business>;

const search = text()
  .max(200)
  .optional()
  .describe(
    "A part of the name, description, tags, place or website, case-insensitive; similar names if nothing matches. A text " +
      "without three letters or digits in a row is searched in the newest " +
      `${maxScannedRows} listings, and at the start of names.`,
  );
const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be next_cursor of a page")
  .optional()
  .describe("`next_cursor` of the previous page, with the same filters.");
const limit = integerQuery(1, 100, 24).describe("The maximum number of listings.");

const decimal = String.raw`-?\d{1,3}(?:\.\d{1,12})?`;

/** `lat,lon`, parsed. */
const near = z
  .string()
  .regex(new RegExp(`^${decimal},${decimal}$`), "must be latitude and longitude, such as 52.52,13.405")
  .transform((value) => {
    const [lat, lon] = value.split(",").map(Number) as [number, number];
    return { lat, lon };
  })
  .refine(({ lat, lon }) => Math.abs(lat) <= 90 && Math.abs(lon) <= 180, "must be within 90 and 180 degrees")
  .optional()
  .describe(
    "A place as `lat,lon` in degrees. Only listings within `radius_km` of it are returned, the nearest " + "first.",
  );

/** The default radius of `near`, and the maximum: half of the Earth's circumference. */
const [defaultRadius, maxRadius] = [10, 20_038];

const radius = z
  .string()
  .regex(/^\d{1,5}(\.\d{1,6})?$/, `must be a number above 0 up to ${maxRadius}`)
  .transform(Number)
  .refine((km) => km > 0 && km <= maxRadius, `must be a number above 0 up to ${maxRadius}`)
  .optional()
  .describe(`The radius around \`near\` in kilometres; by default ${defaultRadius}.`);

export const businessesQuery = z.object({
  q: search,
  source: z
    .enum(["all", ...listingSources])
    .default("all")
    .describe("The source of the listings."),
  kind: z.enum(listingKinds).optional().describe("`business` for businesses, `token` for tokens of external lists."),
  category: z.enum(categorySlugs).optional().describe("A category of `business_categories` in `GET /config`."),
  country: country.optional().describe("The country of the address, ISO 3166-1 alpha-2."),
  near,
  radius_km: radius,
  limit,
  cursor,
});

export const defaultRadiusKm = defaultRadius;

export const businessList = z.object({ items: z.array(business).max(100), next_cursor: z.string().nullable() }).meta({
  id: "Businesses",
  description: "Listings. Pass `next_cursor` as `cursor` to get the next page; it is null on the last page.",
});

export const directoryQuery = z.object({
  source: z
    .enum(["all", ...directorySources])
    .default("all")
    .describe("The source of the listings."),
  q: search,
  limit,
  cursor,
});

export const directory = z
  .object({
    items: z.array(business).max(100),
    sources: z.array(
      z.object({
        source: z.enum(directorySources),
        count: z.int().describe("The number of its published listings, including merged ones."),
        updated_at: dateTime
          .nullable()
          .describe("The time of the last successful read or change; null if there was none."),
        stale: z.boolean().describe("The last successful read is too long ago."),
        error: nullableText.describe("The error code of the last read; null if it succeeded."),
      }),
    ),
    total: z
      .int()
      .describe(
        `The number of matching listings; a listing of several sources counts once. A search counts at most ${maxCountedMatches}.`,
      ),
    next_cursor: z.string().nullable(),
    as_of: dateTime.nullable().describe("The time of the last change of any source."),
  })
  .meta({ id: "Directory", description: "Listings of all sources, merged, with the status of each source." });

/** The proof that a listing's owner controls its website. */
export const websiteProof = z
  .object({
    code: z.string().describe("The verification code: 128 random bits."),
    file_url: z.string().describe("The URL of the file that must contain the code."),
    dns_name: nullableText.describe(
      "The DNS name of the TXT record that must contain the code; null for a host without a name.",
    ),
    status: z.enum(["pending", "verified", "failed"]),
    reason: nullableText.describe("The reason why the last check failed; null if it did not fail."),
  })
  .meta({ id: "WebsiteProof", description: "The verification that the owner of a listing controls its website." });

export type WebsiteProof = z.infer<typeof websiteProof>;

/** A listing with the fields that only its owner can read. */
export const ownBusinesses = z
  .object({
    items: z.array(
      z.object({
        business,
        etag: z.string().describe("The ETag to send as If-Match."),
        website_proof: websiteProof.nullable(),
      }),
    ),
  })
  .meta({ id: "OwnBusinesses", description: "The listings of an account, newest first." });

/** The maximum number of listings of an account. */
export const maxListings = 100;

export const businessId = z
  .string()
  .regex(
    /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|partner_[abc]:[\x21-\x7e]{1,128}|legacy:0x[0-9a-fA-F]{40})$/,
    "must be a UUID, or partner_a:, partner_b: or partner_c: and the id there, or legacy: and a token's address",
  )
  .describe("The id of a listing, percent-encoded.");
