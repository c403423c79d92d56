import { defaultFeeBps } from "../feeTiers.ts";
import type { DraftWithOptions } from "../launchOptions.ts";
import type { DraftVesting } from "../vesting.ts";
import { type AskedCall, isSame } from "./check.ts";
import type { DraftSplitter } from "./draftSplitter.ts";

/** The reviewed part of a draft. Its options can change after the review: an API key suffices to replace them. */
export type ReviewedDraft = Pick<DraftWithOptions, "id" | "intent" | "options">;

/** The launch in a wallet request: addresses in any case, the value in wei. */
type AskedLaunch = {
  name: string;
  symbol: string;
  contractURI: string;
  splitter: string;
  partner: string;
  /** The fee of the pool in basis points. */
  feeBps: number;
  buyer: string;
  value: string;
};

const zeroAddress = `0x${"00".repeat(20)}`;

/** Whether a launch equals the reviewed draft: its spending, fee tier, buyer, partner, splitter and all on-chain texts. */
export function isReviewedLaunch(
  { name, symbol, contractURI, splitter, partner, feeBps, buyer, value }: AskedLaunch,
  { intent, options }: ReviewedDraft,
  { creator, splitter: reviewed, vesting }: { creator: string; splitter: string; vesting: DraftVesting | null },
): boolean {
  const buy = options?.initial_buy ?? null;
  // A vested buy goes to the draft's vesting only.
  const recipient = buy?.vesting ? vesting?.address : (buy?.recipient ?? creator);
  return (
    name === intent.name &&
    symbol === intent.symbol &&
    value === (buy?.amount_in ?? "0") &&
    feeBps === (intent.fee_bps ?? defaultFeeBps) &&
    isSame(splitter, reviewed) &&
    isSame(buyer, buy === null ? zeroAddress : recipient) &&
    isSame(partner, options?.partner ?? zeroAddress) &&
    isReviewedDocument(contractURI, intent, options)
  );
}

const documentStart = "data:application/json;base64,";

/** Whether the document of a launch contains exactly the draft's texts and links. */
function isReviewedDocument(uri: string, intent: ReviewedDraft["intent"], options: ReviewedDraft["options"]): boolean {
  const { name, symbol, description, image_uri: image, website: external_link } = intent;
  const { links = {}, banner_uri: banner_image } = options ?? {};
  const { draft_commitment: _, ...written } = readDocument(uri) ?? {};
  return toText(written) === toText({ name, symbol, description, image, external_link, banner_image, links });
}

/** The fields that the service writes; it leaves out empty ones. */
const documentFields = new Set([
  ...["name", "symbol", "description", "image", "external_link", "banner_image", "links", "draft_commitment"],
]);

/**
 * Reads a document in the one form that the service writes; null for every other one. Another form of equal fields, with
 * a name twice, white space or a byte order mark, would be read differently by others, and cannot be changed later.
 */
function readDocument(uri: string): Record<string, unknown> | null {
  try {
    if (!uri.startsWith(documentStart)) return null;
    const encoded = uri.slice(documentStart.length);
    const binary = atob(encoded);
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const document = JSON.parse(text) as Record<string, unknown>;
    const isExact = JSON.stringify(document) === text && btoa(binary) === encoded;
    const { links = {}, ...texts } = document;
    const values = [...Object.values(texts), ...Object.values(links as object)];
    const isWritten = values.every((value) => typeof value === "string" && value !== "");
    return isExact && isWritten && Object.keys(document).every((field) => documentFields.has(field)) ? document : null;
  } catch {
    return null;
  }
}

/** Serializes fields independent of their order; empty fields equal missing ones. */
const toText = (fields: object): string =>
  JSON.stringify(
    Object.entries(fields)
      .map(([name, value]) => [name, typeof value === "object" && value !== null ? toText(value) : value] as const)
      .filter(([, value]) => value && value !== "[]")
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

type Places = { creator: number | null; params: number; buyer: number };

/** The factory's `launch` and `launchFor`, by selector, with the positions of their arguments. */
const launches: Readonly<Record<string, Places>> = {
  "0xf0e37d9e": { creator: null, params: 0, buyer: 1 },
  "0xfce10c7a": { creator: 0, params: 1, buyer: 2 },
};

/**
 * Whether calls launch only the reviewed draft: a launch call must equal the reviewed launch, and the only other calls
 * create the draft's splitter and its vesting.
 *
 * @param factory - The deployment's factory.
 * @param made - The address of a proven splitter of the draft; null for the splitter that the factory creates.
 */
export function areReviewedCalls(
  calls: readonly AskedCall[],
  draft: ReviewedDraft,
  { creator, factory, splitter, made, vesting }: ReviewedParts,
): boolean {
  return calls.every((call) => {
    const { to, data, value } = call;
    if (!isLaunchCall(call, factory)) {
      const asked = data.toLowerCase();
      const isCreation = to === undefined && asked === splitter.creation;
      const isByFactory = isSame(to, splitter.create.to) && asked === splitter.create.data;
      const isVesting = vesting !== null && isSame(to, vesting.create.to) && asked === vesting.create.data;
      return BigInt(value) === 0n && (isCreation || isByFactory || isVesting);
    }
    const launch = readLaunch(call);
    return (
      launch !== null &&
      isSame(launch.creator ?? creator, creator) &&
      isReviewedLaunch(launch, draft, { creator, splitter: made ?? splitter.address, vesting })
    );
  });
}

/** Whether a call is a launch by the deployment's factory. */
export const isLaunchCall = ({ to, data }: AskedCall, factory: string): boolean =>
  isSame(to, factory) && Object.hasOwn(launches, data.slice(0, 10).toLowerCase());

/** `vesting`: that of the draft's initial buy (`getReviewedVesting`). */
export type ReviewedParts = {
  creator: string;
  factory: string;
  splitter: DraftSplitter;
  made: string | null;
  vesting: DraftVesting | null;
};

/** Reads a launch from calldata; null if the calldata are invalid. */
function readLaunch({ data, value }: AskedCall): (AskedLaunch & { creator: string | null }) | null {
  const places = launches[data.slice(0, 10).toLowerCase()]!;
  const bytes = data.slice(10);
  const read = (at: number, length: number) => bytes.slice(at * 2, (at + length) * 2);
  const readNumber = (at: number) => Number(BigInt(`0x${read(at, 32)}`));
  const readAddress = (at: number) => `0x${read(at + 12, 20)}`;
  try {
    const params = readNumber(places.params * 32);
    const readText = (place: number) => {
      const at = params + readNumber(params + place * 32);
      const pairs = read(at + 32, readNumber(at)).match(/../g) ?? [];
      return new TextDecoder().decode(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
    };
    return {
      creator: places.creator === null ? null : readAddress(places.creator * 32),
      ...{
        name: readText(0),
        symbol: readText(1),
        contractURI: readText(2),
        splitter: readAddress(params + 3 * 32),
        partner: readAddress(params + 5 * 32),
        feeBps: readNumber(params + 6 * 32),
      },
      buyer: readAddress(places.buyer * 32),
      value: BigInt(value).toString(),
    };
  } catch {
    return null;
  }
}
