import { SlipwayError } from "@slipway/protocol/errors";
import { permitValiditySeconds } from "@slipway/protocol/signedTypes";
import type { SignedPermit } from "@slipway/protocol/swapCall";
import { permitTypedData, type TypedData } from "@slipway/protocol/typedData";
import { permitAbi } from "@slipway/protocol/uniswap";
import { domainSeparator, type Hex } from "viem";
import { parseWalletSignature } from "../../transactions/parseWalletSignature.ts";
import type { TradeAsset } from "../../transactions/tradeAssets.ts";
import { validitySeconds } from "../../transactions/validity.ts";
import { getLargestInput, type TradeOrder } from "./tradeOrder.ts";

/** Maximum seconds by which the block time may be earlier than the block time of the permit's offer. */
const maxTimeStepBackSeconds = 60n;

/** Version of the launch tokens' EIP-712 domain. Source: solady's ERC20. */
const domainVersion = "1";

/** A token that a trade spends, with the version of its EIP-712 domain; null if it has no permit. */
export type PermitToken = { address: Hex; version: string } | null;

/** Returns the token with a permit that an order spends: a sold launch token, or the asset of a buy. */
export function getPermitToken(order: TradeOrder, asset: TradeAsset | null): PermitToken {
  if (order.side === "sell") return { address: order.token, version: domainVersion };
  if (asset === null || asset.permitDomain === null) return null;
  return { address: asset.token, version: asset.permitDomain.version };
}

/** Creates the reads that a permit of a token needs. */
export const createPermitReads = (token: Hex, wallet: Hex) =>
  [
    { address: token, abi: permitAbi, functionName: "nonces", args: [wallet] },
    { address: token, abi: permitAbi, functionName: "name" },
    { address: token, abi: permitAbi, functionName: "DOMAIN_SEPARATOR" },
  ] as const;

/** The results of `createPermitReads`. */
export type PermitAnswers = readonly [{ result?: bigint }, { result?: string }, { result?: Hex }];

/** The content of an order's permit without its deadline; null if the token has no permit that can be signed. */
export type PermitTemplate = { nonce: bigint; toTypedData: (deadline: bigint, nonce?: bigint) => TypedData } | null;

/**
 * Creates the permit of an order: exactly the largest input, to the router. Null if the token's domain cannot be
 * expressed: a name that is not UTF-8 gives another domain than the token's.
 */
export function createPermitTemplate(
  order: TradeOrder,
  token: PermitToken,
  router: Hex,
  chainId: number,
  [nonces, name, separator]: PermitAnswers,
): PermitTemplate {
  const nonce = nonces.result;
  if (token === null || nonce === undefined || name.result === undefined || separator.result === undefined) return null;
  const domain = { name: name.result, version: token.version };
  if (domainSeparator({ domain: { ...domain, chainId, verifyingContract: token.address } }) !== separator.result) {
    return null;
  }
  const terms = { owner: order.wallet, spender: router, value: getLargestInput(order) };
  return {
    nonce,
    toTypedData: (deadline, usedNonce = nonce) =>
      permitTypedData({ ...terms, nonce: usedNonce, deadline }, token.address, domain, chainId),
  };
}

/**
 * Creates the permit that a wallet may sign instead of sending an approval. Valid for 30 minutes.
 *
 * @param issueTime - From `getIssueTime`.
 */
export const offerPermit = (template: PermitTemplate, issueTime: bigint): TypedData | null =>
  template?.toTypedData(issueTime + permitValiditySeconds) ?? null;

/**
 * Accepts the permit of an order: the wallet's signature over the typed data of `offerPermit`. A permit that another
 * account has already submitted is accepted while its allowance lasts, and is not part of the transaction.
 *
 * @param allowance - The router's allowance now.
 * @param issueTime - From `getIssueTime`.
 * @returns The permit to submit, or null when it was already submitted or the order has none.
 * @throws SlipwayError `signature_invalid` for another permit, `quote_expired` for one that ends before the
 *   transaction.
 */
export async function acceptPermit(
  order: TradeOrder,
  template: PermitTemplate,
  allowance: bigint,
  issueTime: bigint,
): Promise<SignedPermit | null> {
  const { permit, wallet } = order;
  if (permit === null) return null;
  if (template === null) throw createInvalid("permit", "The token has no permit: omit permit.");
  const { deadline, signature } = permit;
  if (deadline > issueTime + permitValiditySeconds + maxTimeStepBackSeconds) {
    throw createInvalid("permit.deadline", "The deadline is later than the deadline of any offered permit.");
  }
  const value = getLargestInput(order);
  const verify = (nonce: bigint) =>
    parseWalletSignature(signature, template.toTypedData(deadline, nonce), wallet, "permit.signature");
  try {
    const { v, r, s } = await verify(template.nonce);
    if (deadline >= issueTime + validitySeconds) return { value, deadline, v, r, s };
  } catch (error) {
    if (allowance < value || template.nonce === 0n) throw error;
    await verify(template.nonce - 1n);
    return null;
  }
  if (allowance >= value) return null;
  throw new SlipwayError("quote_expired", "The permit has expired; repeat the request without it to get a new one.", {
    field: "permit.deadline",
  });
}

/** @throws SlipwayError `signature_invalid` for an order with a permit: a wallet with code gets no permit to sign. */
export function refusePermitOfCode({ permit }: TradeOrder): void {
  if (permit === null) return;
  throw createInvalid("permit", "A wallet with code gets an approval in calls: omit permit.");
}

function createInvalid(field: string, message: string): SlipwayError {
  return new SlipwayError("signature_invalid", message, { field });
}
