import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import { toDisplayedHandle } from "@slipway/protocol/handleGrammar";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Allocation, computeClaimable, computeCredited, type SplitterHolding } from "@slipway/protocol/splitter";
import type { FeePositions } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, zeroAddress } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, getProvenManifest, type Head } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { withLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { findLaunchLabels, type Label } from "../../transactions/queries.ts";
import { loadAllocations } from "./queries.ts";

/** The balances of one of a launch's two assets at locker and splitter. */
type AssetState = {
  asset: Hex;
  symbol: string;
  decimals: number;
  /** The collaborators' credit plus the amount that the locker owes to the splitter, in base units. */
  credit: bigint;
  holding: SplitterHolding;
  /** By payee, in the order of the allocations. */
  released: readonly bigint[];
};

/**
 * Reads the earnings of all payees of a launch at one block: credits at the locker, claimable and claimed amounts, of
 * both assets. Amounts that the locker owes to the splitter after failed payments count as credited. One round trip;
 * two more if the index has not verified the splitter yet. Labels come from the draft and do not affect payments.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `pool_not_supported`, `splitter_mismatch`,
 * `chain_unavailable`.
 */
export async function readPositions(deps: Pick<Deps, "chain" | "db">, token: Hex, wallet: Hex): Promise<FeePositions> {
  const proven = getProvenManifest(deps.chain);
  const [{ launch, result }, labels] = await Promise.all([
    withLaunch(deps, proven.manifest, token, async (supported) => {
      const allocations = await loadAllocations(deps.chain, supported, proven);
      return { allocations, ...(await readState(deps.chain, proven.manifest, supported.launch, allocations)) };
    }),
    findLaunchLabels(deps.db.api, token),
  ]);
  const { allocations, assets, payouts, head } = result;
  return toFeePositions(launch, wallet, allocations, payouts, labels, assets, head);
}

function toFeePositions(
  launch: IndexedLaunch,
  wallet: Hex,
  allocations: readonly Allocation[],
  payouts: readonly (Hex | null)[],
  labels: readonly Label[],
  assets: readonly AssetState[],
  head: Head,
): FeePositions {
  const own = allocations.findIndex(({ payee }) => payee === wallet);
  const shareBps = allocations[own]?.shareBps ?? 0;
  const claimable = (state: AssetState, i: number) =>
    computeClaimable(state.holding, allocations[i]!.shareBps, state.released[i]!);

  return {
    token: launch.token,
    wallet,
    splitter: launch.splitter,
    locker: launch.feeLocker,
    share_bps: shareBps,
    is_recipient: own >= 0,
    payout: payouts[own] ?? null,
    balances: assets.map((state) => {
      const claimed = own < 0 ? 0n : state.released[own]!;
      const claimableNow = own < 0 ? 0n : claimable(state, own);
      const credited = own < 0 ? 0n : computeCredited(state.holding, shareBps, claimed, state.credit);
      return {
        asset: state.asset,
        symbol: state.symbol,
        decimals: state.decimals,
        credited: credited.toString(),
        claimable: claimableNow.toString(),
        claimed: claimed.toString(),
        lifetime: (credited + claimableNow + claimed).toString(),
      };
    }),
    recipients: allocations.map(({ payee, shareBps: share_bps }, i) => {
      const label = labels.find((candidate) => candidate.wallet.toLowerCase() === payee.toLowerCase());
      return {
        wallet: payee,
        payout: payouts[i]!,
        provider: label?.provider ?? "wallet",
        handle: toDisplayedHandle(label),
        verified: label?.verified ?? false,
        share_bps,
        claimable: assets.map((state) => ({ asset: state.asset, amount: claimable(state, i).toString() })),
        claimed: assets.map((state) => ({ asset: state.asset, amount: state.released[i]!.toString() })),
      };
    }),
    as_of_block: head.number.toString(),
  };
}

/**
 * Reads the head and, at the head, both assets (the launch token, then the wrapped native) and the payout of each
 * payee; a null payout is the payee itself.
 */
async function readState(
  chain: Deps["chain"],
  manifest: Manifest,
  launch: IndexedLaunch,
  allocations: readonly Allocation[],
): Promise<{ assets: AssetState[]; payouts: (Hex | null)[]; head: Head }> {
  const assets = [launch.token, launch.quoteToken];
  const splitter = { address: launch.splitter, abi: feeSplitterAbi } as const;
  const locker = { address: launch.feeLocker, abi: feeLockerAbi } as const;
  const perAsset = assets.map((asset) => [
    { address: asset, abi: erc20Abi, functionName: "symbol" } as const,
    { address: asset, abi: erc20Abi, functionName: "decimals" } as const,
    { address: asset, abi: erc20Abi, functionName: "balanceOf", args: [launch.splitter] } as const,
    { ...locker, functionName: "ledgerOf", args: [launch.token, asset] } as const,
    { ...splitter, functionName: "totalReleased", args: [asset] } as const,
    ...allocations.map(({ payee }) => ({ ...splitter, functionName: "released", args: [asset, payee] }) as const),
    { ...locker, functionName: "owed", args: [asset, launch.splitter] } as const,
  ]);
  const perPayee = allocations.map(({ payee }) => ({ ...splitter, functionName: "payoutOf", args: [payee] }) as const);
  const reads = [...perAsset.flat(), ...perPayee];
  const { head, results } = await readAtHead(chain, manifest.chain_id, reads, getMulticall3(manifest));
  const answers = results.map(({ result, error }) => {
    if (error) throw new SlipwayError("chain_unavailable", "A contract could not be read.", { cause: error });
    return result as unknown;
  });
  const width = perAsset[0]!.length;
  const states = assets.map((asset, i) => {
    const [symbol, decimals, balance, ledger, totalReleased, ...more] = answers.slice(i * width, (i + 1) * width) as [
      string,
      number,
      bigint,
      { collaboratorsCredit: bigint },
      bigint,
      ...bigint[],
    ];
    const owed = more[allocations.length]!;
    const holding = { balance, totalReleased };
    const credit = ledger.collaboratorsCredit + owed;
    return { asset, symbol, decimals, credit, holding, released: more.slice(0, allocations.length) };
  });
  const payouts = answers.slice(assets.length * width) as Hex[];
  return {
    assets: states,
    payouts: allocations.map((_allocation, i) => (payouts[i] === zeroAddress ? null : payouts[i]!)),
    head,
  };
}
