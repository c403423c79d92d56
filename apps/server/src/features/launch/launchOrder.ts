import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { draftCommitment } from "@slipway/protocol/draftCommitment";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { firstBuy } from "@slipway/protocol/firstBuy";
import { toAllocations } from "@slipway/protocol/intent";
import { type LaunchParams, launchAddress } from "@slipway/protocol/launchAddress";
import type { LaunchCallsRequest } from "@slipway/protocol/launchCalls";
import type { LaunchOptions } from "@slipway/protocol/launchOptions";
import { launchPosition } from "@slipway/protocol/launchPosition";
import type { Manifest } from "@slipway/protocol/manifest";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { minimumOut } from "@slipway/protocol/poolMath";
import { checksummed } from "@slipway/protocol/primitives";
import type { Warning } from "@slipway/protocol/transaction";
import { type Hex, keccak256, zeroAddress } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import { predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import type { PreparationDeps } from "../../transactions/preparation.ts";
import type { StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import type { Call } from "../../transactions/simulate.ts";
import { requireFitOptions } from "./checkLaunchOptions.ts";

const tokenCreationCodeHash = keccak256(launchTokenCreationCode);

/** A launch as the factory takes it. Amounts in base units. */
export type LaunchTerms = {
  creator: Hex;
  params: LaunchParams;
  buy: { recipient: Hex; minimumOut: bigint };
  /** Wei that the launch spends on its own token. */
  value: bigint;
};

/** A creator's signature over a launch and a deadline, in Unix seconds of block time. */
export type LaunchAuthorization = { deadline: bigint; signature: Hex };

/** The result of a launch, as it is computed without the chain. */
export type PredictedLaunch = {
  token: Hex;
  pool: Hex;
  /** What the initial buy yields, in base units; zero without one. */
  amountOut: bigint;
};

/** A validated request with its draft, and the launch that both determine; addresses are checksummed. */
export type LaunchOrder = {
  shape: "transaction" | "batch";
  wallet: Hex;
  draft: StoredDraft;
  /** Tokens that this draft was launched as before. */
  launchedBefore: readonly string[];
  /** Where it is not named: the one that the factory makes for the draft. */
  splitter: {
    address: Hex;
    isNamed: boolean;
    /** It is at the factory's address for the draft: the factory's record alone proves what is there (CREATE2). */
    isOfFactory: boolean;
    /** Where this process has found the creation of a named one before: its transaction. */
    creationHash: Hex | null;
  };
  authorization: LaunchAuthorization | null;
  terms: LaunchTerms;
  predicted: PredictedLaunch;
};

type LaunchRequest = {
  shape: LaunchOrder["shape"];
  draft: StoredDraft;
  launchedBefore: readonly string[];
  body: Pick<LaunchCallsRequest, "wallet" | "salt" | "splitter" | "authorization">;
};

/**
 * Creates the order of a launch, and asserts what can be checked without the chain.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `invalid_fields`,
 * `address_checksum`, `recipient_cannot_receive`, `amount_too_small`, `manifest_unverified`.
 */
export function createLaunchOrder(
  chain: Pick<Chain, "splitterCreations">,
  manifest: Manifest,
  { shape, draft, launchedBefore, body }: LaunchRequest,
): LaunchOrder {
  requireLaunchableDraft(draft, manifest);
  const wallet = checksummed(body.wallet);
  const creator = getCreator(draft, wallet);
  const authorization = toAuthorization(body.authorization);
  if (shape === "transaction" && creator !== wallet) throw createOtherCreator(creator);
  if (authorization !== null && creator === wallet) {
    const message = "The wallet is the launch's creator, which sends its own launch: leave the authorization out.";
    throw new SlipwayError("invalid_fields", message, { field: "authorization" });
  }
  const splitter = selectSplitter(chain, manifest, draft, body.splitter);
  const terms = createLaunchTerms(manifest, draft, {
    creator,
    splitter: splitter.address,
    salt: body.salt.toLowerCase() as Hex,
  });
  requireFitOptions(terms.terms, terms.predicted, manifest);
  return { shape, wallet, draft, launchedBefore, splitter, authorization, ...terms };
}

function toAuthorization(authorization: LaunchRequest["body"]["authorization"]): LaunchAuthorization | null {
  if (!authorization) return null;
  const { deadline, signature } = authorization;
  return { deadline: BigInt(deadline), signature: signature.toLowerCase() as Hex };
}

function createOtherCreator(creator: Hex): SlipwayError {
  const message =
    `The draft's creator is ${creator}: send that as wallet, or POST /launch/calls, which prepares a launch that another ` +
    "wallet sends with the creator's signature.";
  return new SlipwayError("invalid_fields", message, { field: "wallet", details: { creator } });
}

function selectSplitter(
  chain: Pick<Chain, "splitterCreations">,
  manifest: Manifest,
  { id, intent }: StoredDraft,
  named: string | null | undefined,
): LaunchOrder["splitter"] {
  const ofFactory = predictMadeSplitter(manifest, id, toAllocations(intent)).address;
  if (!named) {
    requireValidPayouts(intent.recipients ?? [], manifest);
    return { address: ofFactory, isNamed: false, isOfFactory: true, creationHash: null };
  }
  const address = checksummed(named);
  const isOfFactory = address === ofFactory;
  const creationHash = isOfFactory ? null : (chain.splitterCreations.get(address) ?? null);
  return { address, isNamed: true, isOfFactory, creationHash };
}

/** Loads the warnings about what a draft would launch. */
export async function loadContentWarnings({ db }: PreparationDeps, { draft }: LaunchOrder): Promise<Warning[]> {
  const [warnings] = await createContentWarnings(db.api, [draft.intent]);
  return warnings!;
}

/** Creates the warnings of a launch in their order. */
export function createLaunchWarnings(
  { draft, launchedBefore }: LaunchOrder,
  { payouts, content, options }: { payouts: Warning[]; content: Warning[]; options: Warning[] },
): Warning[] {
  const launched: Warning = {
    code: "already_launched",
    message: `This draft was launched before, as ${launchedBefore.join(", ")}.`,
  };
  return [
    ...(launchedBefore.length === 0 ? [] : [launched]),
    ...payouts,
    ...content,
    ...createHandleWarnings(draft.labels),
    ...createOptionWarnings(draft),
    ...options,
  ];
}

/** Returns the creator of a draft's launch: the one of its options, or the wallet that sends it. */
const getCreator = ({ options }: Pick<StoredDraft, "options">, wallet: Hex): Hex =>
  options?.creator ? checksummed(options.creator) : wallet;

/**
 * Creates the terms of a draft's launch with its options, and predicts its result.
 *
 * @throws SlipwayError `manifest_unverified` when the manifest pins another token than ships, `amount_too_small` for an
 * initial buy that yields nothing.
 */
function createLaunchTerms(
  manifest: Manifest,
  draft: StoredDraft,
  order: { creator: Hex; splitter: Hex; salt: Hex },
): { terms: LaunchTerms; predicted: PredictedLaunch } {
  const { creator } = order;
  const params = toLaunchParams(draft, order);
  const addresses = predictAddresses(manifest, creator, params);
  const buy = createInitialBuy(manifest, draft.options?.initial_buy ?? null, creator, addresses.token);
  const { recipient, minimumOut, value, amountOut } = buy;
  return {
    terms: { creator, params, buy: { recipient, minimumOut }, value },
    predicted: { ...addresses, amountOut },
  };
}

/** Creates the parameters of a launch; the document commits to draft and creator. */
function toLaunchParams(
  { id, intent, options }: StoredDraft,
  { creator, splitter, salt }: { creator: Hex; splitter: Hex; salt: Hex },
): LaunchParams {
  return {
    name: intent.name,
    symbol: intent.symbol,
    contractURI: contractUri(intent, draftCommitment({ draftId: id, intent, creator }), options),
    splitter,
    salt,
    partner: options?.partner ? checksummed(options.partner) : zeroAddress,
  };
}

/**
 * Creates the initial buy of a launch. Its quote is exact at every block: the pool has the start price and the locked
 * position alone, and no one trades in it before. The simulation confirms it.
 */
function createInitialBuy(manifest: Manifest, wanted: LaunchOptions["initial_buy"], creator: Hex, token: Hex) {
  if (wanted === null) return { recipient: zeroAddress, minimumOut: 0n, value: 0n, amountOut: 0n };
  const value = BigInt(wanted.amount_in);
  const isToken0 = BigInt(token) < BigInt(manifest.wrapped_native.address);
  const { amountOut } = firstBuy(launchPosition(manifest.current.start_tick, isToken0), value);
  const minimum = minimumOut(amountOut, wanted.slippage_bps);
  if (minimum === 0n) {
    throw new SlipwayError("amount_too_small", "The initial buy would yield nothing; put a larger amount.", {
      field: "initial_buy.amount_in",
      details: { amount_out: amountOut.toString() },
    });
  }
  return {
    recipient: wanted.recipient === null ? creator : checksummed(wanted.recipient),
    minimumOut: minimum,
    value,
    amountOut,
  };
}

/**
 * Predicts the token and the pool of a launch by a creator.
 *
 * @throws SlipwayError `manifest_unverified` when the manifest pins another token than ships.
 */
function predictAddresses(manifest: Manifest, creator: Hex, params: LaunchParams): { token: Hex; pool: Hex } {
  if (tokenCreationCodeHash !== manifest.current.launch_token.creation_code_hash.toLowerCase()) {
    throw new SlipwayError("manifest_unverified", "The manifest pins another token than ships with this service.");
  }
  return launchAddress(
    {
      launchFactory: manifest.current.launch_factory.address as Hex,
      feeLocker: manifest.current.fee_locker.address as Hex,
      uniswapFactory: manifest.uniswap.factory.address as Hex,
      poolInitCodeHash: manifest.uniswap.pool_init_code_hash as Hex,
      wrappedNative: manifest.wrapped_native.address as Hex,
      tokenCreationCode: launchTokenCreationCode,
    },
    creator,
    params,
  );
}

/** Creates the creator's own call of the factory, or another account's with the creator's authorization. */
export function createLaunchCall(
  { creator, params, buy, value }: LaunchTerms,
  factory: Hex,
  signed: { wallet: Hex; authorization: LaunchAuthorization } | null,
): Call & { to: Hex } {
  if (signed === null) {
    const data = encodeCall({ abi: launchFactoryAbi, functionName: "launch", args: [params, buy] });
    return { from: creator, to: factory, data, value };
  }
  const { deadline, signature } = signed.authorization;
  const args = [creator, params, buy, value, deadline, signature] as const;
  const data = encodeCall({ abi: launchFactoryAbi, functionName: "launchFor", args });
  return { from: signed.wallet, to: factory, data, value };
}
