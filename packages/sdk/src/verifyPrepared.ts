import type { ClaimCallsRequest, PayoutRequest } from "@slipway/protocol/fees";
import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { Manifest } from "@slipway/protocol/manifest";
import type { TradeCallsRequest, TradeCallsResult } from "@slipway/protocol/tradeCalls";
import type { ClaimRequest, SplitRequest, TradeRequest, UnsignedResult } from "@slipway/protocol/transaction";
import {
  type AskedCall,
  type Check,
  checkAddress,
  checkEqual,
  isSame,
  listCalls,
} from "@slipway/protocol/verify/check";
import { getDraftSplitter, getSplitterAddress } from "@slipway/protocol/verify/draftSplitter";
import { getReviewedVesting } from "@slipway/protocol/verify/draftVesting";
import { checkAssetChanges, checkEnvelope } from "@slipway/protocol/verify/envelope";
import { listContracts } from "@slipway/protocol/verify/listContracts";
import {
  type Claim,
  getClaimFunction,
  isCancellation,
  isOrderedClaim,
  isOrderedPayout,
} from "@slipway/protocol/verify/orderedCalls";
import { checkTrade, checkTradeQuote, getTradeChanges } from "@slipway/protocol/verify/orderedTrade";
import { checkLaunch, getLaunchSpending, type LaunchOrder } from "@slipway/protocol/verify/preparedLaunch";
import { checkOpeningOrder, type OpeningOrder, type ShownOpening } from "@slipway/protocol/verify/preparedOpening";
import { areReviewedCalls, type ReviewedDraft } from "@slipway/protocol/verify/reviewedLaunch";
import { encodeReleaseVesting } from "@slipway/protocol/vesting";
import type { VestingReleaseRequest, VestingRequest } from "@slipway/protocol/vestings";

export type { Check, ReviewedDraft, ShownOpening };

/** The manifest of the deployment, from a source that the caller trusts and that is not the service. */
export type Trust = {
  manifest: Manifest;
  /** The SHA-256 of the manifest's bytes, in hex. */
  sha256: string;
};

/**
 * The operation of the client with its request, and values that the caller knows. Without the `splitters`
 * of a claim, their addresses are not compared: the release of another contract pays nothing. Without the `feeBps` of a
 * trade, the tier of the token in basis points, the swap may use the pool of any tier, for the quoted amounts.
 */
export type Order =
  | { operation: "prepareTrade"; request: TradeRequest; minimumOut?: bigint; feeBps?: number }
  | { operation: "prepareTradeCalls"; request: TradeCallsRequest; minimumOut?: bigint; feeBps?: number }
  | { operation: "prepareSplitter"; request: SplitRequest; draft: ReviewedDraft }
  | { operation: "prepareVesting"; request: VestingRequest; draft: ReviewedDraft }
  | { operation: "prepareVestingRelease"; request: VestingReleaseRequest; vesting: string }
  | ({ operation: "prepareLaunch" | "prepareLaunchCalls" } & LaunchOrder)
  | { operation: "prepareLaunchCancellation"; request: { wallet: string } }
  | { operation: "prepareFeeClaim"; request: ClaimRequest; splitters?: readonly string[] }
  | { operation: "prepareClaimCalls"; request: ClaimCallsRequest; splitters?: readonly string[] }
  | { operation: "preparePayout"; request: PayoutRequest; splitter: string }
  | OpeningOrder;

/** A result of one of these operations. */
export type PreparedForOrder = UnsignedCommon & {
  calls?: readonly AskedCall[];
  quote?: UnsignedResult["quote"] | TradeCallsResult["quote"];
  permit_typed_data?: TradeCallsResult["permit_typed_data"];
  typed_data?: LaunchCallsResult["typed_data"];
  /** Not compared: what the service warns about, for the person who signs. */
  warnings?: UnsignedResult["warnings"];
};
type UnsignedCommon = Pick<
  UnsignedResult,
  "action" | "transaction" | "simulation" | "manifest" | "expires_at" | "expected"
> & { status: string };

/** The comparisons; `ok` if all of them succeeded. */
export type Verification = { ok: boolean; checks: Check[] };

/** The error for a prepared result that differs from its request. */
export class NotAsAsked extends Error {
  override name = "NotAsAsked";
  /** The comparisons that failed. */
  readonly failed: readonly Check[];

  constructor(failed: readonly Check[]) {
    super(failed.map(({ name, seen, expected }) => `${name}: ${seen} instead of ${expected}`).join("; "));
    this.failed = failed;
  }
}

/**
 * Compares everything that a prepared result would sign or send with the request, so that a caller need not trust the
 * service: contracts, functions and every argument, amounts, receivers, deadlines, signatures, the addresses of a
 * launch, and the transfers of the simulation. Pure: asks neither the service nor a node. The amount of a quote is the
 * service's: pass `minimumOut` of your own.
 *
 * @param now - Unix seconds.
 * @example
 * const trust = await createTrust(manifestText, manifestSha256);
 * const order = { operation: "prepareTrade", request, minimumOut } as const;
 * const accept = (result: UnsignedResult) => verifyPrepared(result, order, trust).ok;
 * for await (const step of runSteps(() => client.prepareTrade(request), wallet, { accept })) show(step);
 */
export function verifyPrepared(
  result: PreparedForOrder,
  order: Order,
  trust: Trust,
  now: number = Date.now() / 1_000,
): Verification {
  const { manifest, sha256 } = trust;
  const { wallet } = order.request;
  const envelope = { wallet, chainId: manifest.chain_id, manifestSha256: sha256, now };
  const checks = [
    ...checkEnvelope(result, actions[order.operation], envelope),
    checkStatus(result),
    ...checkOrder(result, order, manifest),
  ];
  return { ok: checks.every(({ ok }) => ok), checks };
}

/**
 * Returns a result that corresponds to its request (`verifyPrepared`).
 *
 * @throws NotAsAsked with the comparisons that failed.
 */
export function requireVerified<Result extends PreparedForOrder>(
  result: Result,
  order: Order,
  trust: Trust,
  now?: number,
): Result {
  const { checks } = verifyPrepared(result, order, trust, now);
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length > 0) throw new NotAsAsked(failed);
  return result;
}

/**
 * Creates the trust in a manifest.
 *
 * @param text - The bytes of the manifest's file, `contracts/deployments/<chain id>.json`.
 * @param sha256 - Their SHA-256 in hex, from a source that the caller trusts.
 * @throws Error if the text has another SHA-256.
 */
export async function createTrust(text: string, sha256: string): Promise<Trust> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const actual = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (actual !== sha256.toLowerCase()) throw new Error(`The manifest has the SHA-256 ${actual} instead of ${sha256}.`);
  // Older manifests do not name a Multicall3.
  const manifest = JSON.parse(text) as Omit<Manifest, "multicall3"> & Partial<Pick<Manifest, "multicall3">>;
  return { manifest: { ...manifest, multicall3: manifest.multicall3 ?? null }, sha256: actual };
}

/** The actions of the results of an operation. */
const actions: Record<Order["operation"], readonly string[]> = {
  prepareTrade: ["approve", "swap"],
  prepareTradeCalls: ["swap"],
  prepareSplitter: ["deploy_splitter"],
  prepareVesting: ["deploy_vesting"],
  prepareVestingRelease: ["release_vesting"],
  prepareLaunch: ["launch"],
  prepareLaunchCalls: ["launch"],
  prepareLaunchCancellation: ["cancel_launches"],
  prepareFeeClaim: ["collect", "settle", "release"],
  prepareClaimCalls: ["claim"],
  preparePayout: ["set_payout"],
  prepareOpening: ["create_opening"],
  prepareOpeningDeposit: ["deposit_opening"],
  prepareOpeningClaim: ["claim_opening"],
  prepareOpeningClosing: ["close_opening"],
  prepareOpeningLaunch: ["launch_opening"],
  authorizeOpening: ["launch_opening"],
};

/** Checks that a result has something to sign exactly if its status says so. */
function checkStatus(result: PreparedForOrder): Check {
  const { status, typed_data: typed = null } = result;
  const hasCalls = listCalls(result).length > 0;
  const expected = hasCalls ? "ready" : typed === null ? "nothing_to_do" : "signature_required";
  return checkEqual("status", status, expected);
}

function checkOrder(result: PreparedForOrder, order: Order, manifest: Manifest): Check[] {
  const contracts = listContracts(manifest);
  const { wallet } = order.request;
  const { asset_changes: changes } = result.simulation;
  const asked = listCalls(result);
  switch (order.operation) {
    case "prepareTrade":
    case "prepareTradeCalls":
      return [
        checkEqual("quote_expires_at", result.quote?.expires_at, result.expires_at),
        checkEqual(
          "expected_amount",
          result.expected?.amount_out ?? result.quote?.amount_out,
          result.quote?.amount_out,
        ),
        checkEqual(
          "expected_minimum",
          result.expected?.minimum_out ?? result.quote?.minimum_out,
          result.quote?.minimum_out,
        ),
        ...checkTradeQuote(result, order.request, contracts, manifest.chain_id, order.minimumOut),
        ...checkTrade(result, order.request, contracts, order.feeBps, manifest.eth_usd?.fee),
        checkAssetChanges(changes, getTradeChanges(result, order.request, contracts)),
      ];
    case "prepareLaunch":
    case "prepareLaunchCalls":
      return [
        ...checkLaunch(result, order, manifest),
        checkAssetChanges(changes, { wallet, spends: getLaunchSpending(order) }),
      ];
    case "prepareSplitter": {
      const splitter = getDraftSplitter(order.draft, order.draft.options?.creator ?? wallet, contracts);
      const parts = { creator: wallet, factory: contracts.launch_factory!, splitter, made: null, vesting: null };
      const isCreation = asked.every(({ to }) => !isSame(to, contracts.launch_factory));
      const ok = isCreation && areReviewedCalls(asked, order.draft, parts);
      const isByFactory = result.transaction === null || result.transaction.to !== undefined;
      const nonce = isByFactory ? null : (result.expected?.account_nonce ?? 0);
      return [
        checkAddress("splitter", result.expected?.splitter, getSplitterAddress(splitter, wallet, nonce)),
        checkCalls(asked, ok, "the creation of the splitter that pays the draft's recipients"),
        checkAssetChanges(changes, { wallet, spends: [] }),
      ];
    }
    case "prepareVesting": {
      const vesting = getReviewedVesting(order.draft, order.draft.options?.creator ?? wallet, contracts);
      const ok = asked.every(
        ({ to, data, value }) =>
          isSame(to, vesting?.create.to) && data.toLowerCase() === vesting?.create.data && BigInt(value) === 0n,
      );
      return [
        checkAddress("vesting", result.expected?.vesting, vesting?.address ?? "no vesting"),
        checkCalls(asked, ok, "the creation of the vesting of the draft's initial buy"),
        checkAssetChanges(changes, { wallet, spends: [] }),
      ];
    }
    case "prepareVestingRelease": {
      const { vesting } = order;
      const release = encodeReleaseVesting(order.request.token);
      const ok = asked.every(
        ({ to, data, value }) => isSame(to, vesting) && data.toLowerCase() === release && BigInt(value) === 0n,
      );
      return [
        checkAddress("vesting", result.expected?.vesting, vesting),
        checkCalls(asked, ok, `release at ${vesting}`),
        checkAssetChanges(changes, { wallet, spends: [] }),
      ];
    }
    case "prepareLaunchCancellation": {
      const ok = asked.every((call) => isCancellation(call, contracts));
      return [
        checkCalls(asked, ok, `cancel at ${contracts.launch_factory}`),
        checkAssetChanges(changes, { wallet, spends: [] }),
      ];
    }
    case "prepareOpening":
    case "prepareOpeningDeposit":
    case "prepareOpeningClaim":
    case "prepareOpeningClosing":
    case "prepareOpeningLaunch":
    case "authorizeOpening":
      return checkOpeningOrder(result, order, manifest);
    case "prepareFeeClaim":
      return checkFeeClaim(result, order, manifest);
    case "prepareClaimCalls": {
      const { tokens, unwrap = false, stages = "all" } = order.request;
      const { splitters } = order;
      return checkClaim(asked, { wallet, tokens, unwrap, stages, splitters }, manifest, changes);
    }
    case "preparePayout": {
      const { splitter } = order;
      const payout = { ...order.request, splitter };
      return [
        checkAddress("splitter", result.expected?.splitter, splitter),
        checkCalls(
          asked,
          asked.every((call) => isOrderedPayout(call, payout)),
          `setPayout at ${splitter}`,
        ),
        checkAssetChanges(changes, { wallet, spends: [] }),
      ];
    }
  }
}

/** The functions of each stage; a settlement can pay what an earlier one owes. */
const stageFunctions: Record<ClaimRequest["stage"], readonly string[]> = {
  collect: ["collect"],
  settle: ["settle", "payOwed"],
  release: ["release"],
};

/** Checks one stage of a claim: its function, and the recipient of a release, which defaults to the wallet. */
function checkFeeClaim(
  result: PreparedForOrder,
  { request, splitters }: Extract<Order, { operation: "prepareFeeClaim" }>,
  manifest: Manifest,
): Check[] {
  const { token, wallet, stage, asset, recipient = wallet } = request;
  const asked = listCalls(result);
  const claim = { wallet: recipient, tokens: [token], unwrap: false, stages: "all", asset, splitters } as const;
  const functions = asked.map(({ data }) => getClaimFunction(data) ?? "another function");
  const allowed = stageFunctions[stage];
  return [
    checkEqual("stage", result.action, stage),
    {
      name: "function",
      ok: functions.every((name) => allowed.includes(name)),
      seen: functions.join(", "),
      expected: allowed.join(" or "),
    },
    ...checkClaim(asked, claim, manifest, result.simulation.asset_changes),
  ];
}

function checkClaim(
  asked: readonly AskedCall[],
  claim: Claim,
  manifest: Manifest,
  changes: UnsignedResult["simulation"]["asset_changes"],
): Check[] {
  const contracts = listContracts(manifest);
  const lockers = [manifest.current, ...manifest.history].map(({ fee_locker }) => fee_locker.address);
  const ok = asked.every((call) => isOrderedClaim(call, claim, contracts, lockers));
  return [
    checkCalls(asked, ok, `collect, settle and release of ${claim.tokens.join(", ")} for ${claim.wallet}`),
    checkAssetChanges(changes, { wallet: claim.wallet, spends: [] }),
  ];
}

const checkCalls = (asked: readonly AskedCall[], ok: boolean, expected: string): Check => ({
  name: "calls",
  ok,
  seen: asked.map(({ to, data, value }) => `${to} ${data} ${value}`).join(", ") || "none",
  expected,
});
