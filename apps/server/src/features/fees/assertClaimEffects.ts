import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { AssetChange } from "@slipway/protocol/transaction";
import { type Hex, zeroAddress } from "viem";
import { createEventParser } from "../../transactions/createEventParser.ts";
import type { Simulation } from "../../transactions/simulate.ts";

/** An amount in base units that a claim pays to a receiver; the zero address is native. */
export type ClaimedAmount = { asset: Hex; to: Hex; amount: bigint };

/** A payment by a splitter, from its event. */
type Release = { asset: Hex; payee: Hex; receiver: Hex; amount: bigint; unwrapped: boolean };

const toKey = (asset: string, to: string) => `${asset} ${to}`.toLowerCase();

/**
 * Asserts the asset changes of a simulated claim: each splitter pays only the wallet's part and exactly the amounts of
 * its events; the wallet pays nothing from its own balance; Multicall3 pays nothing.
 *
 * @returns the simulation without refused payments, the paid amounts by asset and receiver, and whether a payment
 *   arrives as wrapped native.
 * @throws SlipwayError `simulation_reverted`.
 */
export function assertClaimEffects<T extends Simulation>(
  simulation: T,
  wallet: Hex,
  splitters: readonly Hex[],
  wrappedNative: Hex,
  multicall3: Hex | null,
): { simulation: T; amounts: ClaimedAmount[]; paysWrapped: boolean } {
  const known = new Set(splitters.map((splitter) => splitter.toLowerCase()));
  const releases = parseReleases(simulation, known);
  const amounts = new Map<string, ClaimedAmount>();
  for (const { asset, receiver, amount, unwrapped } of releases) {
    const paid = unwrapped ? zeroAddress : asset;
    const sum = amounts.get(toKey(paid, receiver))?.amount ?? 0n;
    amounts.set(toKey(paid, receiver), { asset: paid, to: receiver, amount: sum + amount });
  }

  const arrived = new Map<string, bigint>();
  const kept = new Map<string, bigint>();
  const isWrapping = ({ asset, from, to }: AssetChange) =>
    asset === zeroAddress && known.has(from.toLowerCase()) && to.toLowerCase() === wrappedNative.toLowerCase();
  let isForeign = releases.some(({ payee }) => payee.toLowerCase() !== wallet.toLowerCase());
  const assetChanges = dropRefused(simulation.assetChanges, isWrapping);
  for (const change of assetChanges) {
    const { asset, from, to, amount } = change;
    if (known.has(from.toLowerCase()) && !isWrapping(change)) add(arrived, toKey(asset, to), BigInt(amount));
    if (from.toLowerCase() === wallet.toLowerCase()) add(kept, asset, -BigInt(amount));
    if (to.toLowerCase() === wallet.toLowerCase()) add(kept, asset, BigInt(amount));
    if (from.toLowerCase() === multicall3?.toLowerCase()) isForeign = true;
  }
  const isExact =
    arrived.size === amounts.size && [...amounts].every(([key, { amount }]) => arrived.get(key) === amount);
  if (!isExact || isForeign || [...kept.values()].some((amount) => amount < 0n)) {
    throw new SlipwayError("simulation_reverted", "The simulated claim moves other assets than requested.");
  }
  const isWrapped = ({ asset, unwrapped }: Release) =>
    !unwrapped && asset.toLowerCase() === wrappedNative.toLowerCase();
  return {
    simulation: { ...simulation, assetChanges },
    amounts: [...amounts.values()],
    paysWrapped: releases.some(isWrapped),
  };
}

/**
 * Drops native payments that their receiver refused: the splitter wraps the same amount immediately after such a
 * payment. Some nodes (anvil 1.7) report the native of a reverted call.
 */
function dropRefused(changes: readonly AssetChange[], isWrapping: (change: AssetChange) => boolean): AssetChange[] {
  return changes.filter((change, i) => {
    const next = changes[i + 1];
    const isRefused =
      next !== undefined && isWrapping(next) && change.asset === zeroAddress && change.from === next.from;
    return !isRefused || change.amount !== next.amount;
  });
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

const parseReleased = createEventParser(feeSplitterAbi, "Released");

/** Parses the payments of splitters. */
function parseReleases({ logs }: Simulation, splitters: ReadonlySet<string>): Release[] {
  return parseReleased(logs.filter(({ address }) => splitters.has(address.toLowerCase())));
}
