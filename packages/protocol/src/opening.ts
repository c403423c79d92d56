import { encodeAbiParameters, type Hex, keccak256, numberToHex, zeroHash } from "viem";
import { smaller } from "./bigints.ts";
import { openingAbi } from "./contracts/opening.ts";
import { openingFactoryAbi } from "./contracts/openingFactory.ts";
import { encodeCall } from "./encodeCall.ts";
import type { LaunchTier } from "./feeTiers.ts";
import { firstBuy } from "./firstBuy.ts";
import type { LaunchParams } from "./launchAddress.ts";
import { type LaunchPosition, launchPosition } from "./launchPosition.ts";
import { encodeMinimalProxy, predictClone } from "./minimalProxy.ts";

/** The parameters of a launch without its salt, which the creator chooses at the launch. */
export type OpeningParams = Omit<LaunchParams, "salt">;

/** The terms of an opening besides its parameters: amounts in wei, the deadline in Unix seconds of block time. */
export type OpeningBounds = { minimum: bigint; cap: bigint; deadline: number };

/** The contracts of a deployment that create openings. */
export type OpeningContracts = { factory: Hex; implementation: Hex };

/** The maximum of `cap` in wei. Source: OpeningFactory.MAX_CAP. */
export const maxOpeningCap = 1_000_000n * 10n ** 18n;

/** The maximum seconds from the creation of an opening to its deadline. Source: OpeningFactory.MAX_SECONDS. */
export const maxOpeningSeconds = 30n * 86_400n;

const hashedTypes = [
  { type: "string" },
  { type: "string" },
  { type: "string" },
  { type: "address" },
  { type: "address" },
  { type: "uint16" },
] as const;

/** Hashes the parameters that an opening commits to. Source: LaunchTerms.hashOf. */
export function hashOpeningParams(params: OpeningParams): Hex {
  const { name, symbol, contractURI, splitter, partner, feeBps } = params;
  return keccak256(encodeAbiParameters(hashedTypes, [name, symbol, contractURI, splitter, partner, feeBps]));
}

/**
 * Predicts the address of an opening: a minimal proxy with the terms in its code. Source: OpeningFactory.predict.
 *
 * @param creator - Addresses in any case.
 * @param params - The parameters of the launch, or their hash (`hashOpeningParams`).
 */
export function predictOpening(
  { factory, implementation }: OpeningContracts,
  creator: Hex,
  params: OpeningParams | Hex,
  { minimum, cap, deadline }: OpeningBounds,
): Hex {
  const amounts = [minimum, cap].map((amount) => numberToHex(amount, { size: 12 }));
  const paramsHash = typeof params === "string" ? params : hashOpeningParams(params);
  const terms = [creator, paramsHash, ...amounts, numberToHex(deadline, { size: 5 })];
  return predictClone(factory, encodeMinimalProxy(implementation, terms), zeroHash);
}

/** Encodes the call of the factory that creates an opening for its caller. */
export function encodeCreateOpening(params: OpeningParams, { minimum, cap, deadline }: OpeningBounds): Hex {
  const args = [{ ...params, salt: zeroHash }, minimum, cap, deadline] as const;
  return encodeCall({ abi: openingFactoryAbi, functionName: "create", args });
}

/** Encodes the call of an opening that books the attached native for an account. */
export const encodeOpeningDeposit = (account: Hex): Hex =>
  encodeCall({ abi: openingAbi, functionName: "deposit", args: [account] });

/** Encodes the call of an opening that pays an account its part, or the part of the caller to another receiver. */
export const encodeOpeningClaim = (claim: { account: Hex } | { to: Hex }): Hex =>
  "to" in claim
    ? encodeCall({ abi: openingAbi, functionName: "claimTo", args: [claim.to] })
    : encodeCall({ abi: openingAbi, functionName: "claim", args: [claim.account] });

/** Encodes the call of an opening that launches the token with the creator's signature. Amounts in base units. */
export function encodeOpen(params: LaunchParams, value: bigint, minimumOut: bigint, signature: Hex): Hex {
  return encodeCall({ abi: openingAbi, functionName: "open", args: [params, value, minimumOut, signature] });
}

/** Encodes the call of an opening that ends it because its token was launched without it. */
export const encodeCloseOpening = (params: LaunchParams): Hex =>
  encodeCall({ abi: openingAbi, functionName: "close", args: [params] });

/** Positions of launches by start tick and token order: computing one takes a hundred steps. */
const positions = new Map<string, LaunchPosition>();

function getPosition(startTick: number, isToken0: boolean): LaunchPosition {
  const key = `${startTick} ${isToken0}`;
  let position = positions.get(key);
  if (position === undefined) {
    position = launchPosition(startTick, isToken0);
    positions.set(key, position);
  }
  return position;
}

/**
 * Computes the tokens that the first buy of a launch yields, in base units, exact for a known order of the pool's tokens.
 *
 * @param isToken0 - Whether the token is the pool's token0; null while the salt is unknown: then the smaller result of the
 *   two orders, which differ in the last digits.
 * @param value - The wei to spend, up to `maxOpeningCap`.
 */
export function computeOpeningBuy(
  startTick: number,
  tier: LaunchTier,
  value: bigint,
  isToken0: boolean | null = null,
): bigint {
  const buy = (order: boolean) => firstBuy(getPosition(startTick, order), tier, value).amountOut;
  if (isToken0 !== null) return buy(isToken0);
  return smaller(buy(true), buy(false));
}

/** The state of an opening that determines what its depositors can claim. Amounts in base units. */
export type OpeningBook = {
  total: bigint;
  spent: bigint;
  /** The tokens that the opening had when it opened or closed. */
  received: bigint;
};

/**
 * Computes what an account can claim after the end of an opening. Source: Opening.claimable.
 *
 * @param account.tokens - The tokens that the account has claimed.
 */
export function computeOpeningClaim(
  { total, spent, received }: OpeningBook,
  account: { deposit: bigint; tokens: bigint; isRefunded: boolean },
): { tokens: bigint; refund: bigint } {
  if (account.deposit === 0n) return { tokens: 0n, refund: 0n };
  const tokens = (received * account.deposit) / total - account.tokens;
  return { tokens, refund: account.isRefunded ? 0n : (account.deposit * (total - spent)) / total };
}
