import { decodeFunctionData, type Hex, zeroAddress, zeroHash } from "viem";
import { canonicalJson } from "../canonicalJson.ts";
import { launchTokenCreationCode } from "../contracts/launchTokenCreationCode.ts";
import { openingAbi } from "../contracts/opening.ts";
import { openingFactoryAbi } from "../contracts/openingFactory.ts";
import { draftCommitment, readDraftCommitment } from "../draftCommitment.ts";
import { encodeCall } from "../encodeCall.ts";
import { findLaunchTier } from "../feeTiers.ts";
import { type LaunchParams, launchAddress, toLaunchAddressContext } from "../launchAddress.ts";
import type { LaunchTypedData } from "../launchSignature.ts";
import type { Manifest } from "../manifest.ts";
import {
  computeOpeningBuy,
  encodeCloseOpening,
  encodeOpen,
  encodeOpeningClaim,
  encodeOpeningDeposit,
  hashOpeningParams,
  type OpeningParams,
  predictOpening,
} from "../opening.ts";
import type {
  OpeningAuthorizationRequest,
  OpeningClaimRequest,
  OpeningClosingRequest,
  OpeningDepositRequest,
  OpeningDetail,
  OpeningLaunchRequest,
  OpeningRequest,
} from "../openings.ts";
import { launchTypes } from "../signedTypes.ts";
import type { UnsignedResult } from "../transaction.ts";
import { type AskedCall, type Check, checkAddress, checkEqual, isSame, listCalls } from "./check.ts";
import { getDraftSplitter } from "./draftSplitter.ts";
import { checkAssetChanges } from "./envelope.ts";
import { listContracts } from "./listContracts.ts";
import { isReviewedLaunch, type ReviewedDraft } from "./reviewedLaunch.ts";

/**
 * The terms of an opening, as `GET /openings/{address}` shows them. The address proves them. `params_hash` is only used if
 * `params` is null: a blocked opening.
 */
export type ShownOpening = Pick<
  OpeningDetail,
  "address" | "creator" | "minimum" | "cap" | "deadline" | "params" | "params_hash"
>;

/** An operation on openings with its request, and values that the caller knows. */
export type OpeningOrder =
  | { operation: "prepareOpening"; request: OpeningRequest; draft: ReviewedDraft }
  | { operation: "prepareOpeningDeposit"; request: OpeningDepositRequest; opening: ShownOpening }
  | { operation: "prepareOpeningClaim"; request: OpeningClaimRequest; opening: ShownOpening }
  | { operation: "prepareOpeningClosing"; request: OpeningClosingRequest; opening: ShownOpening }
  | { operation: "prepareOpeningLaunch"; request: OpeningLaunchRequest; opening: ShownOpening }
  | {
      operation: "authorizeOpening";
      /** `wallet`: the creator, who signs. */
      request: OpeningAuthorizationRequest & { wallet: string };
      opening: ShownOpening;
      /** How often the creator has cancelled signed launches at the factory (`epochOf`). Default 0. */
      epoch?: number;
    };

/** The used part of a result. */
type PreparedOpening = Pick<UnsignedResult, "transaction" | "simulation" | "expected"> & {
  calls?: readonly AskedCall[];
  typed_data?: LaunchTypedData | null | undefined;
};

/** Compares the prepared result of an operation on openings with its request. */
export function checkOpeningOrder(result: PreparedOpening, order: OpeningOrder, manifest: Manifest): Check[] {
  if (order.operation === "prepareOpening") return checkCreation(result, order, manifest);
  const { opening } = order;
  const address = opening.address as Hex;
  const { wallet } = order.request;
  const shared = [checkTerms(opening, manifest), checkAddress("opening", result.expected?.opening, address)];
  const check = (data: Hex, value = 0n) => [
    ...shared,
    checkOnlyCall(result, { to: address, data, value }),
    checkAssetChanges(result.simulation.asset_changes, { wallet, spends: [{ asset: zeroAddress, maximum: value }] }),
  ];
  switch (order.operation) {
    case "prepareOpeningDeposit":
      return check(encodeOpeningDeposit(toLowerCase(wallet)), BigInt(order.request.amount));
    case "prepareOpeningClaim": {
      const { account = wallet, to } = order.request;
      const claim = to === undefined ? { account: toLowerCase(account) } : { to: toLowerCase(to) };
      return check(encodeOpeningClaim(claim));
    }
    case "prepareOpeningClosing": {
      const asked = readCalledParams(listCalls(result), "close");
      const params = { ...toParams(opening, asked), salt: asked.salt };
      return [...check(encodeCloseOpening(params)), ...checkClosedToken(result, opening, params, manifest)];
    }
    case "prepareOpeningLaunch": {
      const { value, salt, signature } = order.request;
      const params = toParams(opening, readCalledParams(listCalls(result), "open"));
      const launch = computeLaunch(opening, params, salt as Hex, BigInt(value), manifest);
      const data = encodeOpen(launch.params, BigInt(value), launch.minimumOut, signature.toLowerCase() as Hex);
      return [...check(data), checkAddress("token", result.expected?.token, launch.token)];
    }
    case "authorizeOpening":
      return [...shared, ...checkAuthorization(result, order, manifest)];
  }
}

const toLowerCase = (address: string) => address.toLowerCase() as Hex;

/**
 * Returns the parameters of an opening's launch.
 *
 * @param asked - The parameters in the prepared result, for a blocked opening, whose parameters are not shown. Others than
 *   those of its hash are replaced by empty ones, so that the comparison with the result fails.
 */
function toParams({ params, params_hash: hash }: ShownOpening, asked: OpeningParams): OpeningParams {
  if (params === null) return isHashOf(hash, asked) ? asked : noParams;
  return {
    name: params.name,
    symbol: params.symbol,
    contractURI: params.contract_uri,
    splitter: toLowerCase(params.splitter),
    partner: toLowerCase(params.partner),
    feeBps: params.fee_bps,
  };
}

function isHashOf(hash: string, params: OpeningParams): boolean {
  try {
    return hashOpeningParams(params) === hash.toLowerCase();
  } catch {
    // A result can have values that no launch has.
    return false;
  }
}

const noParams: LaunchParams = {
  name: "",
  symbol: "",
  contractURI: "",
  splitter: zeroAddress,
  salt: zeroHash,
  partner: zeroAddress,
  feeBps: 0,
};

const getContracts = ({ current }: Manifest) => ({
  factory: current.opening_factory.address as Hex,
  implementation: current.opening_implementation.address as Hex,
});

/** Checks that the address of an opening follows from its terms: only the pinned factory can create it. */
function checkTerms(opening: ShownOpening, manifest: Manifest): Check {
  const { creator, minimum, cap, deadline } = opening;
  const bounds = { minimum: BigInt(minimum), cap: BigInt(cap), deadline };
  const params = opening.params === null ? toLowerCase(opening.params_hash) : toParams(opening, noParams);
  const predicted = predictOpening(getContracts(manifest), toLowerCase(creator), params, bounds);
  return checkAddress("opening_terms", opening.address, predicted);
}

/** Checks that a result has no other call than one. */
function checkOnlyCall(result: PreparedOpening, { to, data, value }: { to: Hex; data: Hex; value: bigint }): Check {
  const asked = listCalls(result);
  const ok = asked.every(
    (call) => isSame(call.to, to) && call.data.toLowerCase() === data.toLowerCase() && BigInt(call.value) === value,
  );
  return {
    name: "calls",
    ok,
    seen: asked.map((call) => `${call.to} ${call.data.slice(0, 10)} ${BigInt(call.value)}`).join(", ") || "none",
    expected: `${to} ${data.slice(0, 10)} ${value}`,
  };
}

/** Checks the creation of an opening: the reviewed draft, its splitter, and the bounds of the request. */
function checkCreation(
  result: PreparedOpening,
  { request, draft }: Extract<OpeningOrder, { operation: "prepareOpening" }>,
  manifest: Manifest,
): Check[] {
  const creator = toLowerCase(request.wallet);
  const bounds = { minimum: BigInt(request.minimum), cap: BigInt(request.cap), deadline: request.deadline };
  const splitter = getDraftSplitter(draft, creator, listContracts(manifest)).address;
  const { factory } = getContracts(manifest);
  const created = listCalls(result).map((call) => readCreation(call, factory));
  const commitment = draftCommitment({ draftId: draft.id, intent: draft.intent, creator });
  const isReviewed = created.every(
    (creation) =>
      creation !== null &&
      creation.minimum === bounds.minimum &&
      creation.cap === bounds.cap &&
      creation.deadline === bounds.deadline &&
      readDraftCommitment(creation.params.contractURI) === commitment &&
      isReviewedLaunch({ ...creation.params, buyer: zeroAddress, value: "0" }, draft, {
        creator,
        splitter,
        vesting: null,
      }),
  );
  return [
    checkEqual("creation", isReviewed, true),
    ...created.flatMap((creation) =>
      creation === null
        ? []
        : [
            checkAddress(
              "opening",
              result.expected?.opening,
              predictOpening(getContracts(manifest), creator, creation.params, bounds),
            ),
          ],
    ),
    checkAssetChanges(result.simulation.asset_changes, { wallet: creator, spends: [] }),
  ];
}

/** Decodes a call of the factory's `create`; null for another call, and for an encoding that is not the only one. */
function readCreation({ to, data, value }: AskedCall, factory: Hex) {
  try {
    const call = decodeFunctionData({ abi: openingFactoryAbi, data: data as Hex });
    if (call.functionName !== "create" || !isSame(to, factory) || BigInt(value) !== 0n) return null;
    if (encodeCall({ abi: openingFactoryAbi, ...call }) !== data.toLowerCase()) return null;
    const [params, minimum, cap, deadline] = call.args;
    return BigInt(params.salt) === 0n ? { params, minimum, cap, deadline } : null;
  } catch {
    return null;
  }
}

/** Reads the parameters of a launch from the call of an opening; empty ones if it is another call. */
function readCalledParams([call]: readonly AskedCall[], name: "close" | "open"): LaunchParams {
  try {
    const { functionName, args } = decodeFunctionData({ abi: openingAbi, data: (call?.data ?? "0x") as Hex });
    return functionName === name ? (args[0] as LaunchParams) : noParams;
  } catch {
    return noParams;
  }
}

function predictToken(creator: string, params: LaunchParams, manifest: Manifest): Hex {
  const context = toLaunchAddressContext(manifest, launchTokenCreationCode as Hex);
  return launchAddress(context, toLowerCase(creator), params).token;
}

function checkClosedToken(
  result: PreparedOpening,
  { creator }: ShownOpening,
  params: LaunchParams,
  manifest: Manifest,
): Check[] {
  if (result.transaction === null) return [];
  return [checkAddress("token", result.expected?.token, predictToken(creator, params, manifest))];
}

/** Computes the launch of an opening: its parameters, its token, and the exact output of the buy. */
function computeLaunch(opening: ShownOpening, opened: OpeningParams, salt: Hex, value: bigint, manifest: Manifest) {
  const params = { ...opened, salt: salt.toLowerCase() as Hex };
  const token = predictToken(opening.creator, params, manifest);
  const tier = findLaunchTier(manifest.current, params.feeBps);
  const isToken0 = BigInt(token) < BigInt(manifest.wrapped_native.address);
  const minimumOut = tier === null ? 0n : computeOpeningBuy(manifest.current.start_tick, tier, value, isToken0);
  return { params, token, minimumOut };
}

/** Checks the typed data that the creator signs: only the launch of this opening, and only until its deadline. */
function checkAuthorization(
  result: PreparedOpening,
  { request, opening, epoch = 0 }: Extract<OpeningOrder, { operation: "authorizeOpening" }>,
  manifest: Manifest,
): Check[] {
  const typed = result.typed_data ?? null;
  if (typed === null) return [checkEqual("typed_data", "none", "the launch")];
  const { domain, types, primaryType, message } = typed;
  const value = BigInt(message.value);
  const { splitter, salt, partner, ...others } = message.params;
  const params = {
    ...others,
    splitter: toLowerCase(splitter),
    salt: toLowerCase(salt),
    partner: toLowerCase(partner),
  };
  const launch = computeLaunch(opening, toParams(opening, params), params.salt, value, manifest);
  const isInBounds = value >= BigInt(opening.minimum) && value <= BigInt(opening.cap);
  const { salt: wanted } = request;
  return [
    checkEqual("types", `${primaryType} ${canonicalJson(types)}`, `Launch ${canonicalJson(launchTypes)}`),
    checkEqual(
      "domain",
      `${domain.name} ${domain.version} ${domain.chainId}`,
      `Slipway Launch Factory 1 ${manifest.chain_id}`,
    ),
    checkAddress("verifying_contract", domain.verifyingContract, manifest.current.launch_factory.address),
    checkAddress("creator", message.creator, opening.creator),
    checkAddress("signer", request.wallet, opening.creator),
    checkEqual("params", canonicalJson(params), canonicalJson(launch.params)),
    checkEqual("salt", params.salt, (wanted ?? salt).toLowerCase()),
    checkAddress("recipient", message.buy.recipient, opening.address),
    checkEqual("minimum_out", message.buy.minimumOut, launch.minimumOut),
    {
      name: "value",
      ok: request.value === undefined ? isInBounds : value === BigInt(request.value) && isInBounds,
      seen: message.value,
      expected: request.value ?? `${opening.minimum} to ${opening.cap}`,
    },
    checkEqual("signature_deadline", message.deadline, opening.deadline),
    checkEqual("epoch", message.epoch, epoch),
    checkAddress("token", result.expected?.token, launch.token),
    checkEqual("transaction", listCalls(result).length, 0),
  ];
}
