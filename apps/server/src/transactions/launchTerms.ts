import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { draftCommitment } from "@slipway/protocol/draftCommitment";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { defaultFeeBps } from "@slipway/protocol/feeTiers";
import { firstBuy } from "@slipway/protocol/firstBuy";
import { type LaunchParams, launchAddress } from "@slipway/protocol/launchAddress";
import { launchPosition } from "@slipway/protocol/launchPosition";
import type { Manifest } from "@slipway/protocol/manifest";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { minimumOut } from "@slipway/protocol/poolMath";
import { checksummed } from "@slipway/protocol/primitives";
import { type DraftVesting, getDraftVesting } from "@slipway/protocol/vesting";
import { type Hex, keccak256, zeroAddress } from "viem";
import { getVestingContracts } from "./madeVesting.ts";
import type { StoredDraft } from "./queries.ts";
import { requireLaunchTier } from "./requireLaunchableDraft.ts";
import type { Call } from "./simulate.ts";

const tokenCreationCodeHash = keccak256(launchTokenCreationCode);

/** The arguments of a launch at the factory. Amounts in base units. */
export type LaunchTerms = {
  creator: Hex;
  params: LaunchParams;
  buy: { recipient: Hex; minimumOut: bigint };
  /** The vesting that receives the tokens of the initial buy: then it is the recipient. Null if they do not vest. */
  vesting: DraftVesting | null;
  /** Wei that the launch spends on its own token. */
  value: bigint;
};

/**
 * A creator's signature over a launch and a deadline, in Unix seconds of block time. `epoch` is the epoch that the creator
 * signed; null if the request does not name it.
 */
export type LaunchAuthorization = { deadline: bigint; signature: Hex; epoch: bigint | null };

/** The result of a launch, computed without the chain. */
export type PredictedLaunch = {
  token: Hex;
  pool: Hex;
  /** Output of the initial buy in base units; zero without an initial buy. */
  amountOut: bigint;
};

/**
 * Creates the terms of a draft's launch with its options, and predicts its result.
 *
 * @throws SlipwayError `manifest_unverified` when the manifest pins another token code than this service contains,
 * `amount_too_small` for an initial buy that yields nothing.
 */
export function createLaunchTerms(
  manifest: Manifest,
  draft: StoredDraft,
  order: { creator: Hex; splitter: Hex; salt: Hex },
): { terms: LaunchTerms; predicted: PredictedLaunch } {
  const { creator } = order;
  const params = toLaunchParams(draft, order);
  const addresses = predictAddresses(manifest, creator, params);
  const vesting = getDraftVesting(draft, creator, getVestingContracts(manifest.current));
  const buy = createInitialBuy(manifest, draft, vesting?.address ?? creator, addresses.token);
  const { recipient, minimumOut, value, amountOut } = buy;
  return {
    terms: { creator, params, buy: { recipient, minimumOut }, vesting, value },
    predicted: { ...addresses, amountOut },
  };
}

/** Creates the parameters of a launch; the document commits to draft and creator. */
export function toLaunchParams(
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
    feeBps: intent.fee_bps ?? defaultFeeBps,
  };
}

/**
 * Creates the initial buy of a launch. The quote is exact at every block: the pool has the start price and only the
 * locked position, and no trade precedes the buy. The simulation confirms the amount.
 *
 * @param receiver - The vesting of the buy, otherwise the creator, who is the default recipient.
 */
function createInitialBuy(manifest: Manifest, { intent, options }: StoredDraft, receiver: Hex, token: Hex) {
  const wanted = options?.initial_buy ?? null;
  if (wanted === null) return { recipient: zeroAddress, minimumOut: 0n, value: 0n, amountOut: 0n };
  const value = BigInt(wanted.amount_in);
  const isToken0 = BigInt(token) < BigInt(manifest.wrapped_native.address);
  const position = launchPosition(manifest.current.start_tick, isToken0);
  const { amountOut } = firstBuy(position, requireLaunchTier(intent, manifest), value);
  const minimum = minimumOut(amountOut, wanted.slippage_bps);
  if (minimum === 0n) {
    throw new SlipwayError("amount_too_small", "The initial buy would yield nothing; increase the amount.", {
      field: "initial_buy.amount_in",
      details: { amount_out: amountOut.toString() },
    });
  }
  return {
    recipient: wanted.vesting || wanted.recipient === null ? receiver : checksummed(wanted.recipient),
    minimumOut: minimum,
    value,
    amountOut,
  };
}

/**
 * Predicts the token and the pool of a launch by a creator.
 *
 * @throws SlipwayError `manifest_unverified` when the manifest pins another token code than this service contains.
 */
export function predictAddresses(manifest: Manifest, creator: Hex, params: LaunchParams): { token: Hex; pool: Hex } {
  if (tokenCreationCodeHash !== manifest.current.launch_token.creation_code_hash.toLowerCase()) {
    throw new SlipwayError("manifest_unverified", "The manifest pins another token code than this service contains.");
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

/** Creates the factory call of the creator, or of another wallet with the creator's authorization. */
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
