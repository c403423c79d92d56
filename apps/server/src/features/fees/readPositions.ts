import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { type Allocation, computeClaimable, computeCredited, type SplitterHolding } from "@slipway/protocol/splitter";
import type { FeePositions } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswap";
import type { Hex } from "viem";
import { type Head, readContracts } from "../../chain/readChain.ts";
import type { IndexedLaunch, Label } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";

/** One of a launch's two assets as locker and splitter have it. */
type AssetState = {
  asset: Hex;
  symbol: string;
  decimals: number;
  /** The collaborators' credit at the locker. */
  credit: bigint;
  holding: SplitterHolding;
  /** By payee, in the order of the allocations. */
  released: readonly bigint[];
};

/**
 * What everybody earns of a launch, exact at one block: the locker's credits, and what each payee can claim and was
 * paid, of both assets. One round trip. Labels come from the draft; they never decide who is paid.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readPositions(
  chain: Deps["chain"],
  launch: IndexedLaunch,
  wallet: Hex,
  allocations: readonly Allocation[],
  labels: readonly Label[],
  head: Head,
): Promise<FeePositions> {
  const assets = await readAssets(chain, launch, allocations, head);
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
      const label = labels.find(({ wallet: labelled }) => labelled.toLowerCase() === payee.toLowerCase());
      return {
        wallet: payee,
        provider: label?.provider ?? "wallet",
        handle: label?.handle ?? null,
        verified: label?.verified ?? false,
        share_bps,
        claimable: assets.map((state) => ({ asset: state.asset, amount: claimable(state, i).toString() })),
        claimed: assets.map((state) => ({ asset: state.asset, amount: state.released[i]!.toString() })),
      };
    }),
    as_of_block: head.number.toString(),
  };
}

/** The launch token first, then the wrapped native asset. */
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
