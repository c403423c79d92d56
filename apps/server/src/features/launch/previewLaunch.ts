import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
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
import { type ProvenManifest, readBalance, readCodes, readHead } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import { assertMadeSplitter } from "../../transactions/madeSplitter.ts";
import type { StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type Call, simulate, simulateBatch } from "../../transactions/simulate.ts";
import { computeFees, computeGasLimit, readL1Gas, unwrapSettled } from "../../transactions/unsignedResult.ts";
import { checkLaunchOptions, requireFitOptions } from "./checkLaunchOptions.ts";
import { findFactorySplitter } from "./launchSplitter.ts";
import { createLaunchCall, createLaunchTerms, getCreator, type LaunchTerms } from "./launchTerms.ts";
import { assertPredicted, createLaunchedWarnings } from "./prepareLaunch.ts";

/**
 * Previews the launch of a draft with its options: prices and amounts are computed as the pool computes them, gas is
 * simulated on the whole launch with a splitter of the factory, as if the wallet held what it needs. Two round trips: the
 * head with the splitter; the simulation.
 *
 * @param launchedBefore - Tokens that this draft was launched as before.
 * @throws SlipwayError as `prepareLaunchCalls`, except those about signatures, balances and named splitters.
 */
export async function previewLaunch(
  deps: Pick<Deps, "chain" | "db" | "readModel">,
  proven: ProvenManifest,
  draft: StoredDraft,
  wallet: Hex,
  launchedBefore: readonly string[],
  requestId: string,
): Promise<LaunchPreview> {
  const { manifest } = proven;
  requireLaunchableDraft(draft, manifest);
  const [head, [walletCode], splitter, { oracle }, [contentWarnings]] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    readCodes(deps.chain, [wallet], "latest"),
    findFactorySplitter(deps.chain, proven, draft, wallet),
    deps.readModel.getEthUsd(),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  // No launch has this salt, which the draft's id is the only input of.
  const salt = keccak256(stringToHex(`slipway.preview.${draft.id}`));
  const creator = getCreator(draft, wallet);
  const { terms, predicted } = createLaunchTerms(manifest, draft, { creator, splitter: splitter.address, salt });
  requireFitOptions(terms, predicted, manifest);
  const launch = createLaunchCall(terms, manifest.current.launch_factory.address as Hex, null);
  const calls = splitter.makeCall === null ? [launch] : [splitter.makeCall, launch];
  const isCreation = splitter.makeCall !== null && walletCode === "0x";
  const creation = isCreation ? createCreation(manifest, draft, wallet) : null;
  const steps: Call[] = creation === null ? calls : [creation, launch];

  // In one round trip; a head that was replaced takes precedence over an error of the splitter, and this over an error of
  // the simulation.
  const [verified, optionWarnings, simulated, created, l1Gas, read] = await Promise.allSettled([
    splitter.verify(head),
    checkLaunchOptions(deps.chain, manifest, terms, head),
    simulateBatch(deps.chain, calls, createReads(manifest, terms, predicted.pool), head, { [creator]: terms.value }),
    creation === null ? null : simulate(deps.chain, creation, head),
    Promise.all(steps.map((call) => readL1Gas(deps.chain, manifest.chain_id, call, head))),
    readBalance(deps.chain, wallet, head),
  ]);
  unwrapSettled(read);
  const payoutWarnings = unwrapSettled(verified);
  const namedWarnings = unwrapSettled(optionWarnings);
  const simulation = unwrapSettled(simulated);
  const creationSimulation = unwrapSettled(created);
  if (splitter.makeCall !== null) assertMadeSplitter(simulation.returnDataByCall[0]!, splitter.address);
  assertPredicted(simulation, predicted);

  const ethUsd = oracle.price;
  const gasUsed = creationSimulation
    ? [creationSimulation.gasUsed, simulation.gasUsedByCall.at(-1)!]
    : simulation.gasUsedByCall;
  const methods = creationSimulation
    ? [creationSimulation.method, simulation.method]
    : gasUsed.map(() => simulation.method);
  const costs = unwrapSettled(l1Gas).map((l1, index) => {
    const limit = computeGasLimit({ gasUsed: gasUsed[index]!, method: methods[index]! }, l1);
    const action = index === steps.length - 1 ? ("launch" as const) : ("deploy_splitter" as const);
    return { action, gas_used: gasUsed[index]!.toString(), ...computeFees(limit, head.gasPriceInWei, l1, ethUsd) };
  });
  const isToken0 = BigInt(predicted.token) < BigInt(manifest.wrapped_native.address);
  const position = launchPosition(manifest.current.start_tick, isToken0);
  return {
    block_number: head.number.toString(),
    eth_usd: ethUsd,
    start: toPrice(position.sqrtPriceX96, position, ethUsd),
    buys: previewedBuys.map((amountIn) => toBuy(amountIn, firstBuy(position, amountIn), position, ethUsd)),
    initial_buy: toInitialBuy(terms, position, ethUsd),
    steps: costs,
    total: toTotal(terms.value, costs, ethUsd),
    fees: toFees(manifest, simulation.readData),
    warnings: [
      ...createLaunchedWarnings(launchedBefore),
      ...payoutWarnings,
      ...contentWarnings!,
      ...createHandleWarnings(draft.labels),
      ...createOptionWarnings(draft),
      ...namedWarnings,
    ],
    request_id: requestId,
  };
}

/** The splitter's creation by a transaction of its own, as a wallet without code sends it. */
function createCreation(manifest: Manifest, { intent }: StoredDraft, wallet: Hex): Call {
  const implementation = manifest.current.splitter_implementation.address as Hex;
  return { from: wallet, data: splitterCreationInput(implementation, toAllocations(intent)), value: 0n };
}

/** The views after the launch: the pool's own fee, and the partner's share in the registry. */
function createReads(manifest: Manifest, { creator, params }: LaunchTerms, pool: Hex): Call[] {
  const share = encodeCall({ abi: launchFactoryAbi, functionName: "partnerShareBps", args: [params.partner] });
  return [
    { from: creator, to: pool, data: encodeCall({ abi: poolAbi, functionName: "slot0" }), value: 0n },
    { from: creator, to: manifest.current.launch_factory.address as Hex, data: share, value: 0n },
  ];
}

function toFees(manifest: Manifest, [slot0, share]: readonly Hex[]): LaunchPreview["fees"] {
  const [, , , , , poolProtocolFee] = decodeFunctionResult({ abi: poolAbi, functionName: "slot0", data: slot0! });
  const partnerShare = decodeFunctionResult({ abi: launchFactoryAbi, functionName: "partnerShareBps", data: share! });
  const tier = manifest.current.fee_policy.tiers.find(({ fee_bps }) => fee_bps === 100);
  if (tier === undefined) throw new SlipwayError("fee_tier_not_launchable");
  const effective = effectiveFeeBps(tier.fee_bps, poolProtocolFee);
  return {
    total_bps: tier.fee_bps,
    protocol_bps: tier.protocol_bps,
    collaborators_bps: tier.collaborators_bps,
    partner_share_bps: partnerShare,
    pool_protocol_fee: poolProtocolFee,
    lp_fee_bps_effective: effective,
    collaborators_bps_effective: Math.round(((effective * tier.collaborators_bps) / tier.fee_bps) * 100) / 100,
  };
}

const wholeSupply = Number(launchSupply / 10n ** 18n);

/** Nothing is burned at the start: the market cap is that of the whole supply. */
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
  { value, buy }: LaunchTerms,
  position: LaunchPosition,
  ethUsd: number | null,
): LaunchPreview["initial_buy"] {
  if (value === 0n) return null;
  const bought = toBuy(value, firstBuy(position, value), position, ethUsd);
  return { ...bought, minimum_out: buy.minimumOut.toString(), recipient: buy.recipient };
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
