import { z } from "zod";
import { draft } from "./intent.ts";
import { addressOut, amountOut, evmAddress, isAmountUpTo, positiveUint256 } from "./primitives.ts";
import { type PublishedUri, parsePublishedUri } from "./publishedUri.ts";
import { text } from "./text.ts";

/** The maximum length of a URI in code points (the spec's Intent). */
const maxUriLength = 256;

/** The allowed hosts of each link; null: any host. */
export const linkHosts = {
  x: ["x.com", "twitter.com"],
  telegram: ["t.me", "telegram.me"],
  discord: ["discord.gg", "discord.com"],
  farcaster: ["farcaster.xyz", "warpcast.com"],
  github: ["github.com"],
  website2: null,
} as const satisfies Record<string, readonly string[] | null>;

export type LinkName = keyof typeof linkHosts;

/** The links in the order of the document. */
export const linkNames = Object.keys(linkHosts) as LinkName[];

const uri = (pattern: RegExp, message: string) => text().min(1).max(maxUriLength).regex(pattern, message);

const createLink = (name: LinkName) => {
  const hosts = linkHosts[name]?.join(" or ");
  return uri(/^https:\/\//, "must start with https://")
    .nullable()
    .optional()
    .describe(hosts === undefined ? "Another website." : `An https link on ${hosts}.`);
};

/** The maximum amount of an initial buy, in wei: more than the supply of any chain. */
const maxInitialBuy = 2n ** 128n - 1n;

/** The latest date of a vesting in seconds of Unix time: the year 2100. A date in milliseconds is above it. */
const maxVestingDate = 4_102_444_800;

const vestingDate = z.int().min(0).max(maxVestingDate);

/** When the tokens of an initial buy vest. The preparation of a launch compares the dates with the clock. */
const vesting = z
  .strictObject({
    cliff: vestingDate.describe("When vesting begins, in Unix seconds: until then no token can be released."),
    end: vestingDate.describe("When all tokens are vested, in Unix seconds; after the cliff."),
  })
  .refine(({ cliff, end }) => end > cliff, { path: ["end"], message: "must be after the cliff" });

const initialBuy = z.strictObject({
  amount_in: positiveUint256
    .refine((value) => isAmountUpTo(value, maxInitialBuy), "must be at most 2^128 - 1")
    .describe("The wei that the launch spends on its own token."),
  slippage_bps: z.int().min(1).max(500).describe("The maximum difference below the quoted amount, in basis points."),
  recipient: evmAddress.nullable().optional().describe("The receiver of the tokens; by default the creator."),
  vesting: vesting
    .nullable()
    .optional()
    .describe(
      "The tokens go to a vesting without an owner, which releases them to the recipient linearly from `cliff` to `end`.",
    ),
});

/**
 * The options of a launch beyond the spec's Intent, as a client sends them. Omitted options are null: each request
 * replaces all options of the draft.
 */
export const launchOptionsRequest = z
  .strictObject({
    initial_buy: initialBuy
      .nullable()
      .optional()
      .describe("A buy in the launch transaction, which is always the first buy of the pool."),
    partner: evmAddress
      .nullable()
      .optional()
      .describe(
        "The partner, which receives the part of the protocol's share that the treasury has registered for " + "it.",
      ),
    links: z
      .strictObject({
        x: createLink("x"),
        telegram: createLink("telegram"),
        discord: createLink("discord"),
        farcaster: createLink("farcaster"),
        github: createLink("github"),
        website2: createLink("website2"),
      })
      .nullable()
      .optional()
      .describe("Links in the token's document, normalised."),
    banner_uri: uri(/^(ipfs|https):\/\//, "must start with ipfs:// or https://")
      .nullable()
      .optional()
      .describe("The wide image in the token's document."),
    creator: evmAddress.nullable().optional().describe("The creator of the launch; null for the wallet that sends it."),
  })
  .meta({
    id: "LaunchOptionsRequest",
    description: "Options of a launch. Omitted options are null.",
  });

export type LaunchOptionsRequest = z.infer<typeof launchOptionsRequest>;

const storedLink = z.string().nullable();

/** The stored options of a draft: no field omitted, addresses checksummed, URIs normalised. */
export const launchOptions = z
  .object({
    initial_buy: z
      .object({
        amount_in: amountOut,
        slippage_bps: z.int(),
        recipient: addressOut.nullable(),
        vesting: z
          .object({
            cliff: z.int().describe("When vesting begins, in Unix seconds."),
            end: z.int().describe("When all tokens are vested, in Unix seconds."),
          })
          .nullable()
          .optional()
          .describe("When the tokens vest, in Unix seconds; null or absent if they do not."),
      })
      .nullable(),
    partner: addressOut.nullable(),
    links: z.object({
      x: storedLink,
      telegram: storedLink,
      discord: storedLink,
      farcaster: storedLink,
      github: storedLink,
      website2: storedLink,
    }),
    banner_uri: z.string().nullable(),
    creator: addressOut.nullable(),
  })
  .meta({ id: "LaunchOptions", description: "Options of a launch; null if not set." });

export type LaunchOptions = z.infer<typeof launchOptions>;

/** A draft with its options. */
export const draftWithOptions = draft
  .extend({ options: launchOptions.nullable().describe("The stored options; null if there are none.") })
  .meta({ id: "DraftWithOptions", description: "A stored draft with its options and current warnings." });

export type DraftWithOptions = z.infer<typeof draftWithOptions>;

/**
 * Checks and normalises a link: https, on one of its hosts, without a port, with a path.
 *
 * @example
 * parseLink("x", "https://WWW.x.com/slipway"); // { ok: true, uri: "https://www.x.com/slipway", warnings: [] }
 */
export function parseLink(
  name: LinkName,
  value: string,
): PublishedUri | { ok: false; reason: "host" | "path"; message: string } {
  const parsed = parsePublishedUri(value, ["https"]);
  const hosts: readonly string[] | null = linkHosts[name];
  if (!parsed.ok || hosts === null) return parsed;
  const { host, pathname } = new URL(parsed.uri);
  if (!hosts.includes(host.replace(/^www\./, ""))) {
    return { ok: false, reason: "host", message: `must be a link on ${hosts.join(" or ")}` };
  }
  if (pathname === "/")
    return { ok: false, reason: "path", message: `must name a page, such as https://${hosts[0]}/name` };
  return parsed;
}
