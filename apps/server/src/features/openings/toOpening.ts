import { smaller } from "@slipway/protocol/bigints";
import { tokenTextKeys } from "@slipway/protocol/confusables";
import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { findLaunchTier } from "@slipway/protocol/feeTiers";
import { type LaunchParams, launchAddress, toLaunchAddressContext } from "@slipway/protocol/launchAddress";
import { launchSupply } from "@slipway/protocol/launchPosition";
import type { Manifest } from "@slipway/protocol/manifest";
import { cleanText, readMetadataUri } from "@slipway/protocol/metadataDocument";
import type { OfficialAssets } from "@slipway/protocol/officialAssets";
import { computeOpeningBuy, computeOpeningClaim, type OpeningParams } from "@slipway/protocol/opening";
import type { Opening, OpeningAccount, OpeningDetail } from "@slipway/protocol/openings";
import { checksummed } from "@slipway/protocol/primitives";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import { type Hex, zeroAddress } from "viem";
import { listDeployments } from "../../chain/readManifest.ts";
import { toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import { createNameWarning } from "../../transactions/resemblanceWarnings.ts";
import type { LaunchCandidate, OpeningAccountRow, OpeningRow } from "./queries.ts";

/** The data for the conversion of openings. `manifest`: null if it is unknown. */
export type OpeningContext = {
  manifest: Manifest | null;
  official: OfficialAssets;
  /** The first launch of each key of a name or symbol, in lower case (`findNameKeys`). */
  nameKeys: ReadonlyMap<string, string>;
};

/** The maximum lengths of shown texts, as those of launches. */
const maxNameLength = 256;
const maxSymbolLength = 64;

/** Returns the shown name and symbol of an opening; empty for a blocked one. */
export const toTexts = ({ name, symbol, blocked }: Pick<OpeningRow, "name" | "symbol" | "blocked">) => ({
  name: blocked ? "" : cleanText(name, maxNameLength),
  symbol: blocked ? "" : cleanText(symbol, maxSymbolLength),
});

/** A document without texts, for a blocked opening. */
const noDocument = { description: null, image: null, website: null };

/** Converts an opening to the wire format. */
export function toOpening(row: OpeningRow, context: OpeningContext): Opening {
  const document = row.blocked ? noDocument : readMetadataUri(row.contract_uri);
  const isCollecting = row.status === "open" || row.status === "ready";
  const texts = toTexts(row);
  return {
    address: toChecksumAddress(row.address),
    creator: toChecksumAddress(row.creator),
    token: row.token === null ? null : toChecksumAddress(row.token),
    blocked: row.blocked,
    ...texts,
    description: document.description,
    image_url: toPublishedUri(document.image),
    website: toPublishedUri(document.website, ["https"]),
    name_warning: findNameWarning(row, texts, context),
    fee_bps: row.fee_bps,
    splitter: toChecksumAddress(row.splitter),
    partner: row.partner === zeroAddress ? null : toChecksumAddress(row.partner),
    minimum: row.minimum,
    cap: row.cap,
    deadline: row.deadline,
    seconds_left: isCollecting ? row.deadline - row.now : 0,
    status: row.status,
    total: row.total,
    depositors: row.depositors,
    if_opened_now: isCollecting ? computeBuyNow(row, context.manifest) : null,
    opened: toOpened(row),
    claimed_tokens: row.claimed_tokens,
    claimed_refund: row.claimed_refund,
    created_at: toIsoTime(row.block_time),
    block_number: row.block_number,
    tx_hash: row.tx_hash,
  };
}

function findNameWarning(
  { token, blocked }: OpeningRow,
  texts: { name: string; symbol: string },
  { official, nameKeys }: OpeningContext,
): string | null {
  if (blocked) return null;
  const known = tokenTextKeys([texts.name, texts.symbol]).map((key) => nameKeys.get(key));
  const resembles = known.find((other) => other !== undefined && other !== token) ?? null;
  return createNameWarning({ ...texts, resembles }, official)?.message ?? null;
}

/** Computes the launch that spends as much as possible; null without deposits, and if the manifest is unknown. */
function computeBuyNow(row: OpeningRow, manifest: Manifest | null): Opening["if_opened_now"] {
  const value = smaller(BigInt(row.cap), BigInt(row.total));
  const deployment = manifest === null ? null : findDeployment(row, manifest);
  const tier = deployment && findLaunchTier(deployment, row.fee_bps);
  if (value === 0n || !deployment || !tier) return null;
  return toBuy(value, computeOpeningBuy(deployment.start_tick, tier, value));
}

function toBuy(spent: bigint, bought: bigint) {
  return {
    spent: spent.toString(),
    bought: bought.toString(),
    price_eth: bought === 0n ? 0 : Number(spent) / Number(bought),
    share_of_supply: Number((bought * 10n ** 12n) / launchSupply) / 1e12,
  };
}

function toOpened({ end_kind, spent, bought, end_block, end_time, end_tx }: OpeningRow): Opening["opened"] {
  if (end_kind !== "opened") return null;
  const buy = toBuy(BigInt(spent!), BigInt(bought!));
  return { ...buy, block_number: end_block!, block_timestamp: toIsoTime(end_time!), tx_hash: end_tx! };
}

/** Finds the deployment of an opening's factory; null if the manifest does not name it. */
export const findDeployment = ({ factory }: Pick<OpeningRow, "factory">, manifest: Manifest) =>
  listDeployments(manifest).find(({ opening_factory }) => opening_factory.address.toLowerCase() === factory) ?? null;

/**
 * Converts the part of an account to the wire format.
 *
 * @param received - The tokens that all depositors share; zero before the end.
 */
export function toOpeningAccount(
  address: string,
  row: OpeningAccountRow,
  received: string,
  opening: Pick<Opening, "status" | "total" | "opened" | "if_opened_now">,
): OpeningAccount {
  const total = BigInt(opening.total);
  const account = { deposit: BigInt(row.deposit), tokens: BigInt(row.tokens), isRefunded: row.claims > 0 };
  const isCollecting = opening.status === "open" || opening.status === "ready";
  const book = { total, spent: BigInt(opening.opened?.spent ?? 0), received: BigInt(received) };
  const claimable = isCollecting ? { tokens: 0n, refund: 0n } : computeOpeningClaim(book, account);
  return {
    address: checksummed(address),
    deposit: row.deposit,
    share: total === 0n ? 0 : Number((account.deposit * 10n ** 12n) / total) / 1e12,
    if_opened_now: toPartNow(opening, account.deposit),
    claimable_tokens: claimable.tokens.toString(),
    claimable_refund: claimable.refund.toString(),
    claimed_tokens: row.tokens,
    claimed_refund: row.refund,
  };
}

function toPartNow(
  { if_opened_now: buy, total }: Pick<Opening, "if_opened_now" | "total">,
  deposit: bigint,
): OpeningAccount["if_opened_now"] {
  if (buy === null) return null;
  const book = { total: BigInt(total), spent: BigInt(buy.spent), received: BigInt(buy.bought) };
  const { tokens, refund } = computeOpeningClaim(book, { deposit, tokens: 0n, isRefunded: false });
  return { tokens: tokens.toString(), refund: refund.toString() };
}

/** Returns the parameters of an opening's launch, exactly as on the chain. */
export const toParams = (row: OpeningRow): OpeningParams => ({
  name: row.name,
  symbol: row.symbol,
  contractURI: row.contract_uri,
  splitter: checksummed(row.splitter),
  partner: checksummed(row.partner),
  feeBps: row.fee_bps,
});

/** Returns the parameters of an opening's launch on the wire. */
export const toShownParams = (row: OpeningRow): NonNullable<OpeningDetail["params"]> => ({
  name: row.name,
  symbol: row.symbol,
  contract_uri: row.contract_uri,
  splitter: toChecksumAddress(row.splitter),
  partner: toChecksumAddress(row.partner),
  fee_bps: row.fee_bps,
});

/** A launch without the opening: its token and its parameters. */
export type OtherLaunch = { token: Hex; params: LaunchParams };

/** Finds the launch among candidates that has exactly the parameters of an opening: its address proves them. */
export function findOtherLaunch(
  row: OpeningRow,
  candidates: readonly LaunchCandidate[],
  manifest: Manifest,
): OtherLaunch | null {
  const deployment = findDeployment(row, manifest);
  if (deployment === null) return null;
  const context = toLaunchAddressContext({ ...manifest, current: deployment }, launchTokenCreationCode);
  for (const { address, salt } of candidates) {
    const params = { ...toParams(row), salt: salt as Hex };
    const { token } = launchAddress(context, checksummed(row.creator), params);
    if (token.toLowerCase() === address) return { token, params };
  }
  return null;
}
