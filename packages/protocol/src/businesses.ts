import { z } from "zod";
import { categorySlugs } from "./businessCategories.ts";
import { countryCodes } from "./countries.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";
import { preparePublishedText } from "./publishedText.ts";
import { parsePublishedUri, type UriScheme } from "./publishedUri.ts";
import { maxCountedMatches, maxScannedRows } from "./searchLimits.ts";
import { text } from "./text.ts";

/** Text that people read; a refusal names the code point. */
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

/** A URI in a form that all parsers read alike. */
const uri = (schemes: readonly UriScheme[]) =>
  text()
    .superRefine((value, context) => {
      const parsed = parsePublishedUri(value, schemes);
      if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.message, params: { reason: parsed.reason } });
    })
    .meta({ minLength: 1, maxLength: 256 });

/** The hosts that a link of each kind may lead to. */
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

/** Whether a normalised https URI leads to a host of its kind of link. */
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
    const message = `must lead to ${linkHosts[name].join(" or ")}`;
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
  .refine((code) => countryCodes.has(code), "is no country of ISO 3166-1");

const location = z.strictObject({ lat: z.number().min(-90).max(90), lon: z.number().min(-180).max(180) });

const tag = z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 of a-z, 0-9 and -");

/** The longest texts of a listing, in code points. */
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
    description: "A business as its owner publishes it: without a token, wallet or market.",
  });

export type BusinessInput = z.infer<typeof businessInput>;

/** The sources of listings outside. */
export const partnerSources = ["partner_a", "partner_b", "partner_c"] as const;
export type PartnerSource = (typeof partnerSources)[number];
/** The sources of listings that are stored. */
export const listingSources = ["own", ...partnerSources] as const;
export type ListingSource = (typeof listingSources)[number];
export const directorySources = [...listingSources, "legacy"] as const;
export type DirectorySource = (typeof directorySources)[number];
export const listingKinds = ["business", "token"] as const;

const listingImage = z.object({
  uri: z.string().describe("As the listing names it."),
  sha256: z.string().nullable().describe("Of the stored picture; null where this service does not store it."),
  width: z.int().nullable(),
  height: z.int().nullable(),
  animated: z.boolean().nullable(),
  blurhash: z.string().nullable(),
  dominant_color: z.string().nullable(),
  urls: z.record(z.string(), z.string()).nullable().describe("The stored picture by its size in pixels."),
});

const nullableText = z.string().nullable();

/** A published listing; fields that are unknown are null. */
export const business = z
  .object({
    id: z.string().describe("Of an external listing `SOURCE:ID`; percent-encoded in paths."),
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
      .describe("Where the listing comes from."),
    verified: z.object({
      website: z.boolean().describe("The website showed the code of this listing at the last check."),
      owner: z.boolean().describe("The account has proven the x or github handle that `links` names."),
    }),
    also_on: z
      .array(z.object({ source: z.enum(directorySources), id: z.string(), url: nullableText }))
      .optional()
      .describe("In the directory: the same business at other sources."),
    status: z.literal("published"),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: "Business", description: "A published listing; what is unknown is null. It never enables trading." });

export type Business = z.infer<typeof business>;

const search = text()
  .max(200)
  .optional()
  .describe(
    "Text that name, description, tags, place or website contain, in any case; near matches where none does. One without " +
      `three letters or digits in a row is looked for in the newest ${maxScannedRows} listings, and where a name begins.`,
  );
const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be next_cursor of a page")
  .optional()
  .describe("`next_cursor` of the previous page of the same query.");
const limit = integerQuery(1, 100, 24).describe("The most listings of the answer.");

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
  .describe("A place as `lat,lon` in degrees: only listings within `radius_km` of it, the nearest first.");

/** The radius of `near` when none is named, and the largest: half of the Earth's circumference. */
const [defaultRadius, maxRadius] = [10, 20_038];

const radius = z
  .string()
  .regex(/^\d{1,5}(\.\d{1,6})?$/, `must be a number above 0 up to ${maxRadius}`)
  .transform(Number)
  .refine((km) => km > 0 && km <= maxRadius, `must be a number above 0 up to ${maxRadius}`)
  .optional()
  .describe(`Kilometres around \`near\`, ${defaultRadius} when left out.`);

export const businessesQuery = z.object({
  q: search,
  source: z
    .enum(["all", ...listingSources])
    .default("all")
    .describe("Where the listings come from."),
  kind: z.enum(listingKinds).optional().describe("Businesses, or tokens of external lists."),
  category: z.enum(categorySlugs).optional().describe("A slug of `business_categories` of `GET /config`."),
  country: country.optional().describe("The country of the address, ISO 3166-1 alpha-2."),
  near,
  radius_km: radius,
  limit,
  cursor,
});

export const defaultRadiusKm = defaultRadius;

export const businessList = z
  .object({ items: z.array(business).max(100), next_cursor: z.string().nullable() })
  .meta({ id: "Businesses", description: "Listings; `next_cursor` asks for the next page, null at the end." });

export const directoryQuery = z.object({
  source: z
    .enum(["all", ...directorySources])
    .default("all")
    .describe("Where the listings come from."),
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
        count: z.int().describe("Its published listings, merged ones too."),
        updated_at: dateTime
          .nullable()
          .describe("When it was last read without a fault, or last changed; null: never."),
        stale: z.boolean().describe("It was not read for longer than it should be."),
        error: nullableText.describe("A code, where the last reading failed."),
      }),
    ),
    total: z
      .int()
      .describe(
        `Listings of this query, one that several sources have counts once; of a search ${maxCountedMatches} where more match.`,
      ),
    next_cursor: z.string().nullable(),
    as_of: dateTime.nullable().describe("The last change of any source."),
  })
  .meta({ id: "Directory", description: "Listings of all sources, merged, with the state of the sources." });

/** The proof that a listing's owner controls its website. */
export const websiteProof = z
  .object({
    code: z.string().describe("128 random bits of this listing alone."),
    file_url: z.string().describe("Where a file with the code is looked for."),
    dns_name: nullableText.describe("Where a TXT record with the code is looked for; null for a host without a name."),
    status: z.enum(["pending", "verified", "failed"]),
    reason: nullableText.describe("A code, where the last check failed."),
  })
  .meta({ id: "WebsiteProof", description: "The proof that the owner of a listing controls its website." });

export type WebsiteProof = z.infer<typeof websiteProof>;

/** A listing with what only its owner reads. */
export const ownBusinesses = z
  .object({
    items: z.array(
      z.object({
        business,
        etag: z.string().describe("For If-Match."),
        website_proof: websiteProof.nullable(),
      }),
    ),
  })
  .meta({ id: "OwnBusinesses", description: "The listings of an account, newest first." });

/** Listings that an account may have at a time. */
export const maxListings = 100;

export const businessId = z
  .string()
  .regex(
    /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|partner_[abc]:[\x21-\x7e]{1,128}|legacy:0x[0-9a-fA-F]{40})$/,
    "must be a UUID, or partner_a:, partner_b: or partner_c: and the id there, or legacy: and a token's address",
  )
  .describe("The id of a listing, percent-encoded.");
