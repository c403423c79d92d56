import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FeePending } from "@slipway/protocol/fees";
import { toDisplayedHandle } from "@slipway/protocol/handleGrammar";
import { type Allocation, computeCredited, type SplitterHolding } from "@slipway/protocol/splitter";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type ContractFunctionParameters, type Hex, zeroAddress } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { withLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { findLaunchLabels } from "../../transactions/queries.ts";
import { loadAllocations } from "./queries.ts";

/** The credits of a launch at the locker, in one asset. */
type Ledger = { protocolCredit: bigint; partnerCredit: bigint; collaboratorsCredit: bigint };

/** One asset of a launch: its ledger before and after the collection, and what its splitter has received and paid. */
type PendingAsset = {
  asset: Hex;
  symbol: string;
  decimals: number;
  before: Ledger;
  after: Ledger;
  /** The holding of the splitter after a settlement of all earlier collections. */
  holding: SplitterHolding;
  /** By payee, in the order of the allocations. */
  released: readonly bigint[];
};

/**
 * Reads the pending fees of a launch and their recipients: one `eth_call` runs the collection between the reads of the
 * ledgers. One round trip; two more if the index has not verified the splitter yet.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `pool_not_supported`, `splitter_mismatch`,
 * `simulation_reverted`, `chain_unavailable`.
 */
export async function readPending(deps: Pick<Deps, "chain" | "db">, token: Hex): Promise<FeePending> {
  const proven = getProvenManifest(deps.chain);
  const { manifest } = proven;
  const [{ launch, result }, labels] = await Promise.all([
    withLaunch(deps, manifest, token, async (supported) => {
      const allocations = await loadAllocations(deps.chain, supported, proven);
      const reads = createReads(supported.launch, allocations);
      return { allocations, ...(await readAtHead(deps.chain, manifest.chain_id, reads, getMulticall3(manifest))) };
    }),
    findLaunchLabels(deps.db.api, token),
  ]);
  const { allocations, head, results } = result;
  const { position, treasury, assets } = parseAnswers(launch, allocations, results);
  const pending = assets.map(({ before, after }) => ({
    protocol: after.protocolCredit - before.protocolCredit,
    partner: after.partnerCredit - before.partnerCredit,
    collaborators: after.collaboratorsCredit - before.collaboratorsCredit,
  }));
  return {
    token: launch.token,
    splitter: launch.splitter,
    locker: launch.feeLocker,
    treasury,
    partner: position.partner === zeroAddress ? null : position.partner,
    assets: assets.map(({ asset, symbol, decimals }, i) => {
      const { protocol, partner, collaborators } = pending[i]!;
      return {
        ...{ asset, symbol, decimals, amount: (protocol + partner + collaborators).toString() },
        ...{ protocol: protocol.toString(), partner: partner.toString(), collaborators: collaborators.toString() },
      };
    }),
    recipients: allocations.map(({ payee, shareBps }, k) => {
      const label = labels.find((candidate) => candidate.wallet.toLowerCase() === payee.toLowerCase());
      return {
        wallet: payee,
        provider: label?.provider ?? "wallet",
        handle: toDisplayedHandle(label),
        verified: label?.verified ?? false,
        share_bps: shareBps,
        amounts: assets.map(({ asset, holding, released }, i) => ({
          asset,
          amount: computeCredited(holding, shareBps, released[k]!, pending[i]!.collaborators).toString(),
        })),
      };
    }),
    as_of_block: head.number.toString(),
  };
}

/** Creates the reads of a launch, with the collection between the reads of its ledgers. */
function createReads(
  { token, quoteToken, splitter, feeLocker }: IndexedLaunch,
  allocations: readonly Allocation[],
): ContractFunctionParameters[] {
  const locker = { address: feeLocker, abi: feeLockerAbi } as const;
  const paid = { address: splitter, abi: feeSplitterAbi } as const;
  const ledger = (asset: Hex) => ({ ...locker, functionName: "ledgerOf", args: [token, asset] }) as const;
  const perAsset = (asset: Hex) => [
    { address: asset, abi: erc20Abi, functionName: "symbol" },
    { address: asset, abi: erc20Abi, functionName: "decimals" },
    { address: asset, abi: erc20Abi, functionName: "balanceOf", args: [splitter] },
    ledger(asset),
    { ...paid, functionName: "totalReleased", args: [asset] },
    ...allocations.map(({ payee }) => ({ ...paid, functionName: "released", args: [asset, payee] }) as const),
    { ...locker, functionName: "owed", args: [asset, splitter] },
  ];
  return [
    { ...locker, functionName: "positionOf", args: [token] },
    { ...locker, functionName: "treasury" },
    ...perAsset(token),
    ...perAsset(quoteToken),
    { ...locker, functionName: "collect", args: [token] },
    ledger(token),
    ledger(quoteToken),
  ] as ContractFunctionParameters[];
}

/** Parses the answers to `createReads`. @throws SlipwayError `simulation_reverted`, `chain_unavailable`. */
function parseAnswers(
  { token, quoteToken }: IndexedLaunch,
  allocations: readonly Allocation[],
  results: readonly { result?: unknown; error?: unknown }[],
): { position: { partner: Hex }; treasury: Hex; assets: PendingAsset[] } {
  const collection = results.at(-3)!;
  const reads = results.filter((read) => read !== collection);
  for (const { error } of reads) {
    if (error) throw new SlipwayError("chain_unavailable", "A contract could not be read.", { cause: error });
  }
  if (collection.error) {
    throw new SlipwayError("simulation_reverted", "The collection would fail.", { cause: collection.error });
  }
  const answers = reads.map(({ result }) => result);
  const [position, treasury] = answers.splice(0, 2) as [{ partner: Hex }, Hex];
  const after = answers.splice(-2) as [Ledger, Ledger];
  const width = answers.length / 2;
  const assets = [token, quoteToken].map((asset, i) => {
    const own = answers.slice(i * width, (i + 1) * width);
    const [symbol, decimals, balance, before, totalReleased] = own as [string, number, bigint, Ledger, bigint];
    const released = own.slice(5, 5 + allocations.length) as bigint[];
    const owed = own.at(-1) as bigint;
    const holding = { balance: balance + before.collaboratorsCredit + owed, totalReleased };
    return { asset, symbol, decimals, before, after: after[i]!, holding, released };
  });
  return { position, treasury, assets };
}
