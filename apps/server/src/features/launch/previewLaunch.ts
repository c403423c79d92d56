import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { type LaunchTier, protocolFeeBps } from "@slipway/protocol/feeTiers";
import { type FirstBuy, firstBuy } from "@slipway/protocol/firstBuy";
import { toAllocations } from "@slipway/protocol/intent";
import { type LaunchPosition, launchPosition, launchSupply } from "@slipway/protocol/launchPosition";
import { type LaunchPreview, previewedBuys } from "@slipway/protocol/launchPreview";
import type { Manifest } from "@slipway/protocol/manifest";
import { effectiveFeeBps } from "@slipway/protocol/poolMath";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { poolAbi } from "@slipway/protocol/uniswap";
import { decodeFunctionResult, type Hex, keccak256, stringToHex } from "viem";
import { type HeadBlock, type ProvenManifest, readCodes } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { assertPredicted } from "../../transactions/assertLaunchEffects.ts";
import { createLaunchCall, type LaunchTerms } from "../../transactions/launchTerms.ts";
import { requireFutureVesting } from "../../transactions/madeVesting.ts";
import {
  type Context,
  type Prepared,
  prepare,
  readBesideHead,
  type Simulated,
} from "../../transactions/preparation.ts";
import type { StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchTier } from "../../transactions/requireLaunchableDraft.ts";
import { type Call, simulate } from "../../transactions/simulate.ts";
import { computeFees, computeGasLimit, readL1Gas } from "../../transactions/unsignedResult.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { checkLaunchOptions } from "./checkLaunchOptions.ts";
import { createLaunchOrder, createLaunchWarnings, type LaunchOrder, loadContentWarnings } from "./launchOrder.ts";
import { requestFactoryState, verifySplitter } from "./launchSplitter.ts";
import { assertMadeContracts, createMakeCalls, requestVesting } from "./launchVesting.ts";

/**
 * Previews the launch of a draft with its options. Prices and amounts follow the pool's arithmetic; gas comes from a
 * simulation of the whole launch with the factory's splitter and a sufficient balance.
 *
 * @param launchedBefore - Tokens of earlier launches of this draft.
 * @throws SlipwayError as `prepareLaunch`, except errors about signatures, balances and named splitters.
 */
export async function previewLaunch(
  deps: Pick<Deps, "chain" | "clock" | "config" | "db" | "readModel">,
  proven: ProvenManifest,
  draft: StoredDraft,
  wallet: Hex,
  launchedBefore: readonly string[],
  requestId: string,
): Promise<LaunchPreview> {
  const { manifest } = proven;
  // Derived only from the draft's id: no launch uses this salt.
  const salt = keccak256(stringToHex(`slipway.preview.${draft.id}`));
  const request = { shape: "batch", draft, launchedBefore, body: { wallet, salt, splitter: null } } as const;
  const order = createLaunchOrder(deps.chain, manifest, request);
  const { prepared } = await prepare(deps, preview, proven, order);
  const { plan, answers, simulation, head, loaded, ethUsd } = prepared;
  const { terms, predicted } = order;
  assertMadeContracts(plan.makeCalls, simulation.returnDataByCall);
  assertPredicted(simulation, predicted);

  const costs = listSteps(prepared).map(({ action, gasUsed, method, parentGas }) => {
    const limit = computeGasLimit({ gasUsed, method }, parentGas);
    const fees = computeFees(limit, head.gasPriceInWei, parentGas, ethUsd);
    return { action, gas_used: gasUsed.toString(), ...fees };
  });
  const isToken0 = BigInt(predicted.token) < BigInt(manifest.wrapped_native.address);
  const position = launchPosition(manifest.current.start_tick, isToken0);
  const tier = requireLaunchTier(draft.intent, manifest);
  const getFirstBuy = (amountIn: bigint) => firstBuy(position, tier, amountIn);
  return {
    block_number: head.number.toString(),
    eth_usd: ethUsd,
    start: toPrice(position.sqrtPriceX96, position, ethUsd),
    buys: previewedBuys.map((amountIn) => toBuy(amountIn, getFirstBuy(amountIn), position, ethUsd)),
    initial_buy: toInitialBuy(terms, getFirstBuy, position, ethUsd),
    steps: costs,
    total: toTotal(terms.value, costs, ethUsd),
    fees: toFees(tier, simulation.readData),
    warnings: createLaunchWarnings(order, { ...answers, content: loaded }),
    request_id: requestId,
  };
}

/** The preparation of the preview: the creator's launch, after the call that makes a missing splitter. */
const preview = {
  action: "launch" as const,
  load: loadContentWarnings,
  read: (context: Context<LaunchOrder>) =>
    readBesideHead(context, () => ({
      ...requestFactoryState(context),
      walletCodes: readCodes(context.chain, [context.order.wallet], "latest"),
      hasVesting: requestVesting(context),
    })),
  plan: (context: Context<LaunchOrder>, state: PreviewState, block: HeadBlock) => {
    const { chain, manifest, order } = context;
    const { terms, predicted } = order;
    const launch = createLaunchCall(terms, manifest.current.launch_factory.address as Hex, null);
    requireFutureVesting(terms.vesting, getIssueTime(context.now, block));
    const makeCalls = createMakeCalls(context, state, state.hasVesting);
    // A wallet without code creates the splitter in a separate transaction.
    const isCreated = makeCalls[0]?.action === "deploy_splitter" && state.walletCodes[0] === "0x";
    const creation = isCreated ? createCreation(manifest, order) : null;
    return {
      shape: "batch" as const,
      candidates: [{ calls: [...makeCalls.map(({ call }) => call), launch] }],
      views: createViews(manifest, terms, predicted.pool),
      balances: { [terms.creator]: terms.value },
      reads: {
        payouts: async () => await verifySplitter(context, state, block),
        options: async () => await checkLaunchOptions(chain, manifest, terms, block),
        created: async () => (creation === null ? null : await simulate(chain, creation, block)),
        createdParentGas: async () =>
          creation === null ? null : await readL1Gas(chain, manifest.chain_id, creation, block),
      },
      makeCalls,
    };
  },
};

type PreviewState = {
  isMade: boolean;
  payoutsWithCode: Set<Hex>;
  walletCodes: readonly Hex[];
  hasVesting: boolean | null;
};
type PreviewPlan = ReturnType<typeof preview.plan>;

/** Lists the transactions of the launch with their gas. */
function listSteps({
  plan,
  answers,
  simulation,
  parentGas,
}: Pick<Prepared<LaunchOrder, PreviewState, PreviewPlan, unknown>, "plan" | "answers"> & Simulated) {
  const { method, gasUsedByCall } = simulation;
  const steps = gasUsedByCall.map((gasUsed, index) => {
    const action = plan.makeCalls[index]?.action ?? ("launch" as const);
    return { action, gasUsed, method, parentGas: parentGas[index]! };
  });
  const { created, createdParentGas } = answers;
  if (created === null) return steps;
  const creation = {
    action: "deploy_splitter" as const,
    gasUsed: created.gasUsed,
    method: created.method,
    parentGas: createdParentGas,
  };
  return [creation, ...steps.filter(({ action }) => action !== "deploy_splitter")];
}

/** Creates the transaction that deploys the splitter. */
function createCreation(manifest: Manifest, { draft, terms, wallet }: LaunchOrder): Call {
  const implementation = manifest.current.splitter_implementation.address as Hex;
  const allocations = toAllocations(draft.intent, terms.creator);
  return { from: wallet, data: splitterCreationInput(implementation, allocations), value: 0n };
}

/** Creates the reads after the simulated launch: the pool's `slot0`, with its protocol fee, and the partner's share. */
function createViews(manifest: Manifest, { creator, params }: LaunchTerms, pool: Hex): Call[] {
  const share = encodeCall({ abi: launchFactoryAbi, functionName: "partnerShareBps", args: [params.partner] });
  return [
    { from: creator, to: pool, data: encodeCall({ abi: poolAbi, functionName: "slot0" }), value: 0n },
    { from: creator, to: manifest.current.launch_factory.address as Hex, data: share, value: 0n },
  ];
}

function toFees({ feeBps }: LaunchTier, [slot0, share]: readonly Hex[]): LaunchPreview["fees"] {
  const [, , , , , poolProtocolFee] = decodeFunctionResult({ abi: poolAbi, functionName: "slot0", data: slot0! });
  const partnerShare = decodeFunctionResult({ abi: launchFactoryAbi, functionName: "partnerShareBps", data: share! });
  const effective = effectiveFeeBps(feeBps, poolProtocolFee);
  const collaboratorsBps = feeBps - protocolFeeBps;
  return {
    total_bps: feeBps,
    protocol_bps: protocolFeeBps,
    collaborators_bps: collaboratorsBps,
    partner_share_bps: partnerShare,
    pool_protocol_fee: poolProtocolFee,
    lp_fee_bps_effective: effective,
    collaborators_bps_effective: Math.round(((effective * collaboratorsBps) / feeBps) * 100) / 100,
  };
}

const wholeSupply = Number(launchSupply / 10n ** 18n);

/** Computes the price and, from the whole supply, the market cap: no token is burned at the start. */
function toPrice(sqrtPriceX96: bigint, { isToken0 }: LaunchPosition, ethUsd: number | null): LaunchPreview["start"] {
  const priceEth = priceFromSqrtX96(sqrtPriceX96, isToken0);
  const valueEth = priceEth * wholeSupply;
  const inUsd = (eth: number) => (ethUsd === null ? null : eth * ethUsd);
  return {
    price_eth: priceEth,
    price_usd: inUsd(priceEth),
    market_cap_eth: valueEth,
    market_cap_usd: inUsd(valueEth),
    fdv_eth: valueEth,
    fdv_usd: inUsd(valueEth),
  };
}

function toBuy(amountIn: bigint, bought: FirstBuy, position: LaunchPosition, ethUsd: number | null) {
  return {
    amount_in: amountIn.toString(),
    amount_out: bought.amountOut.toString(),
    share_of_supply: Number((bought.amountOut * 10n ** 12n) / launchSupply) / 1e12,
    after: toPrice(bought.sqrtPriceX96After, position, ethUsd),
  };
}

function toInitialBuy(
  { value, buy, vesting }: LaunchTerms,
  getFirstBuy: (amountIn: bigint) => FirstBuy,
  position: LaunchPosition,
  ethUsd: number | null,
): LaunchPreview["initial_buy"] {
  if (value === 0n) return null;
  const bought = toBuy(value, getFirstBuy(value), position, ethUsd);
  const terms = vesting && { beneficiary: vesting.beneficiary, cliff: vesting.cliff, end: vesting.end };
  return { ...bought, minimum_out: buy.minimumOut.toString(), recipient: buy.recipient, vesting: terms };
}

function toTotal(
  value: bigint,
  costs: readonly { total_wei: string }[],
  ethUsd: number | null,
): LaunchPreview["total"] {
  const gas = costs.reduce((sum, { total_wei }) => sum + BigInt(total_wei), 0n);
  const total = value + gas;
  return {
    value: value.toString(),
    gas_wei: gas.toString(),
    total_wei: total.toString(),
    total_usd: ethUsd === null ? null : (Number(total) / 1e18) * ethUsd,
  };
}
