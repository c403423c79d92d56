import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { toDisplayedHandle } from "@slipway/protocol/handleGrammar";
import { type Allocation, computeClaimable, computeCredited, type SplitterHolding } from "@slipway/protocol/splitter";
import type { FeePositions } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswap";
import type { Hex } from "viem";
import { getProvenManifest, type Head, readContracts, readHead } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { findLaunchLabels, type IndexedLaunch, type Label, loadSupportedLaunch } from "../../transactions/queries.ts";
import { loadSplitterAllocations } from "./queries.ts";

/** The balances of one of a launch's two assets at locker and splitter. */
type AssetState = {
  asset: Hex;
  symbol: string;
  decimals: number;
  /** The collaborators' credit at the locker, in base units. */
  credit: bigint;
  holding: SplitterHolding;
  /** By payee, in the order of the allocations. */
  released: readonly bigint[];
};

/**
 * Reads the earnings of all payees of a launch at one block: credits at the locker, claimable and claimed amounts, of
 * both assets. Two round trips. Labels come from the draft; they do not affect who is paid.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `pool_not_supported`, `splitter_mismatch`,
 * `chain_unavailable`.
 */
export async function readPositions(deps: Pick<Deps, "chain" | "db">, token: Hex, wallet: Hex): Promise<FeePositions> {
  const { manifest } = getProvenManifest(deps.chain);
  const { launch, deployment } = await loadSupportedLaunch(deps.db.read, token, manifest);
  const head = await readHead(deps.chain, manifest.chain_id);
  const [allocations, labels] = await Promise.all([
    loadSplitterAllocations(deps, launch.splitter, deployment, head),
    findLaunchLabels(deps.db.api, token),
  ]);
  const assets = await readAssets(deps.chain, launch, allocations, head);
  return toFeePositions(launch, wallet, allocations, labels, assets, head);
}

function toFeePositions(
  launch: IndexedLaunch,
  wallet: Hex,
  allocations: readonly Allocation[],
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

/** Reads the launch token first, then the wrapped native asset. */
async function readAssets(
  chain: Deps["chain"],
  launch: IndexedLaunch,
  allocations: readonly Allocation[],
  head: Head,
): Promise<AssetState[]> {
  const assets = [launch.token, launch.quoteToken];
  const splitter = { address: launch.splitter, abi: feeSplitterAbi } as const;
  const perAsset = assets.map((asset) => [
    { address: asset, abi: erc20Abi, functionName: "symbol" } as const,
    { address: asset, abi: erc20Abi, functionName: "decimals" } as const,
    { address: asset, abi: erc20Abi, functionName: "balanceOf", args: [launch.splitter] } as const,
    { address: launch.feeLocker, abi: feeLockerAbi, functionName: "ledgerOf", args: [launch.token, asset] } as const,
    { ...splitter, functionName: "totalReleased", args: [asset] } as const,
    ...allocations.map(({ payee }) => ({ ...splitter, functionName: "released", args: [asset, payee] }) as const),
  ]);
  const answers = (await readContracts(chain, head.number, perAsset.flat())) as unknown[];
  const width = 5 + allocations.length;
  return assets.map((asset, i) => {
    const [symbol, decimals, balance, ledger, totalReleased, ...released] = answers.slice(
      i * width,
      (i + 1) * width,
    ) as [string, number, bigint, { collaboratorsCredit: bigint }, bigint, ...bigint[]];
    return {
      asset,
      symbol,
      decimals,
      credit: ledger.collaboratorsCredit,
      holding: { balance, totalReleased },
      released,
    };
  });
}
