import { decodeFunctionData, type Hex, zeroAddress } from "viem";
import { canonicalJson } from "../canonicalJson.ts";
import { launchFactoryAbi } from "../contracts/launchFactory.ts";
import { launchTokenCreationCode } from "../contracts/launchTokenCreationCode.ts";
import { draftCommitment, readDraftCommitment } from "../draftCommitment.ts";
import { encodeCall } from "../encodeCall.ts";
import { defaultFeeBps, findLaunchTier } from "../feeTiers.ts";
import { firstBuy } from "../firstBuy.ts";
import { type LaunchParams, launchAddress, toLaunchAddressContext } from "../launchAddress.ts";
import type { LaunchCallsRequest, LaunchCallsResult } from "../launchCalls.ts";
import { launchPosition } from "../launchPosition.ts";
import type { Manifest } from "../manifest.ts";
import { minimumOut } from "../poolMath.ts";
import { authorizationValiditySeconds, launchTypes, maxClockLeadSeconds } from "../signedTypes.ts";
import type { UnsignedResult } from "../transaction.ts";
import { type AskedCall, type Check, checkAddress, checkEqual, isSame, listCalls } from "./check.ts";
import { getDraftSplitter } from "./draftSplitter.ts";
import { getReviewedVesting } from "./draftVesting.ts";
import { listContracts } from "./listContracts.ts";
import { areReviewedCalls, isLaunchCall, isReviewedLaunch, type ReviewedDraft } from "./reviewedLaunch.ts";

/** The used part of the results of `POST /launch/transactions` and `POST /launch/calls`. */
export type PreparedLaunch = Pick<UnsignedResult, "transaction" | "expected" | "expires_at"> &
  Partial<Pick<LaunchCallsResult, "typed_data">> & { calls?: readonly AskedCall[] };

export type LaunchOrder = {
  request: LaunchCallsRequest;
  /** The draft as the caller reviewed it, with its options. */
  draft: ReviewedDraft;
  /** A splitter whose creation the caller has proven; null accepts only the factory's splitter of the draft. */
  provenSplitter?: string | null;
  /** How often the creator has cancelled signed launches at the factory (`epochOf`). Default 0. */
  epoch?: number;
};

/** The seconds from a request to `expires_at`. */
const resultValiditySeconds = 60n;

/**
 * The maximum seconds from `expires_at` to the end of a signed launch: the validity that the service offers
 * (`authorizationValiditySeconds`), and the lead of the chain's clock. A signature of a blocked launch can be used until then.
 */
const longestSignatureSeconds = authorizationValiditySeconds + maxClockLeadSeconds - resultValiditySeconds;

type Buy = { recipient: string; minimumOut: bigint };
/** The terms of a launch, from calldata or from typed data. Amounts in base units. */
type Terms = { creator: string; params: LaunchParams; buy: Buy; value: bigint };

/**
 * Compares a prepared launch with the reviewed draft: name, symbol, document, splitter, salt, partner, initial buy and
 * value, the addresses that follow from them, and what the creator signs. The only other calls create the splitter and the
 * vesting of the initial buy.
 */
export function checkLaunch(answer: PreparedLaunch, order: LaunchOrder, manifest: Manifest): Check[] {
  const { request, draft, provenSplitter = null } = order;
  const contracts = listContracts(manifest);
  const factory = contracts.launch_factory!;
  const creator = draft.options?.creator ?? request.wallet;
  const splitter = getDraftSplitter(draft, creator, contracts);
  const vesting = getReviewedVesting(draft, creator, contracts);
  const used = request.splitter ?? splitter.address;
  const isProven = isSame(used, splitter.address) || isSame(used, provenSplitter ?? undefined);
  const asked = listCalls(answer);
  const launches = asked.filter((call) => isLaunchCall(call, factory));
  const typed = answer.typed_data ?? null;
  return [
    { name: "splitter", ok: isProven, seen: used, expected: provenSplitter ?? splitter.address },
    {
      name: "calls",
      ok:
        areReviewedCalls(asked, draft, { creator, factory, splitter, made: used, vesting }) &&
        (typed === null ? isSequence(answer, launches) : asked.length === 0),
      seen: asked.map(({ to, data, value }) => `${to} ${data.slice(0, 10)} ${value}`).join(", ") || "none",
      expected: `the launch by ${factory}, after at most the creation of its splitter and its vesting`,
    },
    ...(vesting === null ? [] : [checkAddress("vesting", answer.expected?.vesting, vesting.address)]),
    ...launches.flatMap((call) => checkTerms(readLaunchCall(call, creator), answer, order, manifest)),
    ...(typed === null ? [] : checkTypedData(typed, answer, order, manifest, used)),
  ];
}

/** Whether the launch is last, after at most two other calls, and the transaction is the launch. */
function isSequence({ calls = [], transaction }: PreparedLaunch, launches: readonly AskedCall[]): boolean {
  const last = calls.at(-1);
  return (
    (transaction === null ? last !== undefined : launches.includes(transaction)) &&
    calls.length <= 3 &&
    (last === undefined || launches.includes(last)) &&
    calls.filter((call) => launches.includes(call)).length <= 1
  );
}

type Decoded = Terms & { authorization: { deadline: bigint; signature: string } | null };

/**
 * Decodes a call of `launch`, whose creator is `creator`, or of `launchFor`; null for other calldata, and for an encoding
 * that is not the only one.
 */
export function readLaunchCall({ data, value }: AskedCall, creator: string): Decoded | null {
  try {
    const call = decodeFunctionData({ abi: launchFactoryAbi, data: data as Hex });
    if (encodeCall({ abi: launchFactoryAbi, ...call }) !== data.toLowerCase()) return null;
    const { functionName, args } = call;
    if (functionName === "launch") {
      const [params, buy] = args;
      return { creator, params, buy, value: BigInt(value), authorization: null };
    }
    if (functionName !== "launchFor") return null;
    const [signer, params, buy, signedValue, deadline, signature] = args;
    if (signedValue !== BigInt(value)) return null;
    return { creator: signer, params, buy, value: signedValue, authorization: { deadline, signature } };
  } catch {
    return null;
  }
}

/** Checks what `areReviewedCalls` does not compare: salt, commitment, minimum, addresses, signature. */
function checkTerms(terms: Decoded | null, answer: PreparedLaunch, order: LaunchOrder, manifest: Manifest): Check[] {
  if (terms === null) return [checkEqual("launch", "other calldata", "a launch")];
  const { authorization } = order.request;
  const given = authorization ? `${authorization.deadline} ${authorization.signature.toLowerCase()}` : "none";
  const { authorization: used } = terms;
  const seen = used === null ? "none" : `${used.deadline} ${used.signature.toLowerCase()}`;
  return [...checkSharedTerms(terms, answer, order, manifest), checkEqual("authorization", seen, given)];
}

function checkSharedTerms(terms: Terms, { expected }: PreparedLaunch, order: LaunchOrder, manifest: Manifest): Check[] {
  const { creator, params, buy } = terms;
  const { request, draft } = order;
  const { token, pool } = predict(terms, manifest);
  const commitment = draftCommitment({ draftId: draft.id, intent: draft.intent, creator });
  const first = computeFirstBuy(draft, token, manifest);
  return [
    checkEqual("salt", params.salt.toLowerCase(), request.salt.toLowerCase()),
    checkEqual("commitment", readDraftCommitment(params.contractURI), commitment),
    {
      name: "initial_buy_minimum",
      ok: buy.minimumOut >= first.minimum,
      seen: buy.minimumOut.toString(),
      expected: `at least ${first.minimum}`,
    },
    checkEqual(
      "fee_tier",
      findLaunchTier(manifest.current, params.feeBps) === null ? "not launchable" : params.feeBps,
      draft.intent.fee_bps ?? defaultFeeBps,
    ),
    checkAddress("token", expected?.token, token),
    checkAddress("pool", expected?.pool, pool),
    checkAddress("expected_splitter", expected?.splitter, params.splitter),
    ...(first.amountOut === null
      ? []
      : [
          checkEqual("amount_out", expected?.amount_out, first.amountOut),
          checkEqual("expected_minimum", expected?.minimum_out, buy.minimumOut),
        ]),
  ];
}

/** Predicts the addresses of a launch from the pinned contracts. */
function predict({ creator, params }: Terms, manifest: Manifest) {
  const context = toLaunchAddressContext(manifest, launchTokenCreationCode as Hex);
  return launchAddress(context, creator as Hex, params);
}

/**
 * Computes the initial buy with the arithmetic of the pool of the draft's fee tier. The amount is null without an initial
 * buy, and without the tier, at which the factory launches no token.
 */
function computeFirstBuy({ intent, options }: ReviewedDraft, token: Hex, { current, wrapped_native }: Manifest) {
  const buy = options?.initial_buy ?? null;
  const tier = findLaunchTier(current, intent.fee_bps);
  if (buy === null || tier === null) return { amountOut: null, minimum: 0n };
  const isToken0 = token.toLowerCase() < wrapped_native.address.toLowerCase();
  const { amountOut } = firstBuy(launchPosition(current.start_tick, isToken0), tier, BigInt(buy.amount_in));
  return { amountOut, minimum: minimumOut(amountOut, buy.slippage_bps) };
}

function checkTypedData(
  { domain, types, primaryType, message }: NonNullable<LaunchCallsResult["typed_data"]>,
  answer: PreparedLaunch,
  order: LaunchOrder,
  manifest: Manifest,
  splitter: string,
): Check[] {
  const { draft, request } = order;
  const creator = draft.options?.creator ?? request.wallet;
  const vesting = getReviewedVesting(draft, creator, listContracts(manifest));
  const { params, buy, value } = message;
  const terms = {
    creator: message.creator,
    params: params as LaunchParams,
    buy: { recipient: buy.recipient, minimumOut: BigInt(buy.minimumOut) },
    value: BigInt(value),
  };
  const launch = { ...params, buyer: buy.recipient, value };
  return [
    checkEqual("types", `${primaryType} ${canonicalJson(types)}`, `Launch ${canonicalJson(launchTypes)}`),
    checkEqual(
      "domain",
      `${domain.name} ${domain.version} ${domain.chainId}`,
      `Slipway Launch Factory 1 ${manifest.chain_id}`,
    ),
    checkAddress("verifying_contract", domain.verifyingContract, manifest.current.launch_factory.address),
    checkAddress("creator", message.creator, creator),
    checkEqual("epoch", message.epoch, order.epoch ?? 0),
    {
      name: "signature_deadline",
      ok: BigInt(message.deadline) <= BigInt(answer.expires_at) + longestSignatureSeconds,
      seen: message.deadline,
      expected: `at most ${longestSignatureSeconds} seconds after ${answer.expires_at}`,
    },
    checkEqual("signed_launch", isReviewedLaunch(launch, draft, { creator, splitter, vesting }), true),
    ...checkSharedTerms(terms, answer, order, manifest),
  ];
}

/** Returns the assets that a launch may spend from the wallet: the native of the initial buy. */
export const getLaunchSpending = ({ draft }: LaunchOrder): { asset: string; maximum: bigint }[] => [
  { asset: zeroAddress, maximum: BigInt(draft.options?.initial_buy?.amount_in ?? "0") },
];
