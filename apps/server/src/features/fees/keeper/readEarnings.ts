import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import type { Allocation } from "@slipway/protocol/splitter";
import type { ContractFunctionParameters, Hex } from "viem";
import type { Chain } from "../../../chain/chain.ts";
import { tryReadContracts } from "../../../chain/readChain.ts";
import type { ClaimGroup } from "../claimGroups.ts";

/** Blocks after which a block counts as final: nothing within a few blocks can change the values that the keeper relies on. */
export const finalBlocks = 64n;

/** The collaborators' part of all collections of a launch, in one asset. */
type Ledger = { collaboratorsTotal: bigint };

/**
 * Reads the wrapped native that each payee of a splitter has earned and not received yet, at a block: the splitter's
 * parts of all collections, also those that only a collection at this block would credit, less the amount released to the
 * payee. Not the splitter's balance: a donation would make the keeper pay gas for moving the donor's own money. One
 * `eth_call`. A launch or a release that cannot be read counts as nothing.
 *
 * @returns Wei by payee, in the order of the allocations.
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readEarnings(
  chain: Pick<Chain, "client">,
  { splitter, launches }: ClaimGroup,
  allocations: readonly Allocation[],
  block: bigint,
  multicall3: Hex,
): Promise<bigint[]> {
  const locker = (address: Hex) => ({ address, abi: feeLockerAbi }) as const;
  const reads = [
    ...launches.map(({ token, feeLocker }) => ({ ...locker(feeLocker), functionName: "collect", args: [token] })),
    ...launches.map(({ token, feeLocker, quoteToken }) => ({
      ...locker(feeLocker),
      functionName: "ledgerOf",
      args: [token, quoteToken],
    })),
    ...allocations.map(({ payee }) => ({
      address: splitter,
      abi: feeSplitterAbi,
      functionName: "released",
      args: [launches[0]!.quoteToken, payee],
    })),
  ] as ContractFunctionParameters[];
  const answers = (await tryReadContracts(chain, block, reads, multicall3)) as { result?: unknown }[];
  const ledgers = answers.slice(launches.length, 2 * launches.length);
  const earned = ledgers.reduce(
    (sum, { result }) => sum + ((result as Ledger | undefined)?.collaboratorsTotal ?? 0n),
    0n,
  );
  return allocations.map(({ shareBps }, i) => {
    const released = answers[2 * launches.length + i]!.result as bigint | undefined;
    const own = (earned * BigInt(shareBps)) / 10_000n;
    return released === undefined || own < released ? 0n : own - released;
  });
}
