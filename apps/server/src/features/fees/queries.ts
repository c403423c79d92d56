import { SlipwayError } from "@slipway/protocol/errors";
import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { isFirstEdition, type LaunchDeployment } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitter";
import { type Hex, zeroAddress } from "viem";
import {
  type HeadBlock,
  type ProvenManifest,
  readContracts,
  readHead,
  tryReadContracts,
} from "../../chain/readChain.ts";
import { findSplitterCreation, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";

/** The index's verification of a splitter: proven with these allocations, disproved, or not verified yet (null). */
type IndexedSplitter = { proven: boolean | null; allocations: Allocation[] };

type PayeeRow = { address: string; proven: boolean | null; payee: string | null; share_bps: number | null };

/** Finds the index's verification of splitters, in their order; allocations in theirs, empty unless it is proven. */
async function findSplitters(db: Queryable, splitters: readonly string[]): Promise<IndexedSplitter[]> {
  const addresses = splitters.map((splitter) => splitter.toLowerCase());
  const { rows } = await db.query<PayeeRow>(
    `select s.address, s.proven, p.payee, p.share_bps
     from chain.splitters s left join chain.splitter_payees p on p.splitter = s.address and s.proven
     where s.address = any ($1) order by p.position`,
    [addresses],
  );
  return addresses.map((splitter) => {
    const own = rows.filter(({ address }) => address === splitter);
    const allocations = own.flatMap(({ payee, share_bps }) =>
      payee === null || share_bps === null ? [] : [{ payee: checksummed(payee), shareBps: share_bps }],
    );
    return { proven: own[0]?.proven ?? null, allocations };
  });
}

/**
 * Finds the payees of a launch's splitter in the index; null where it has not verified the splitter.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract.
 */
export async function findIndexedAllocations(db: Queryable, splitter: Hex): Promise<Allocation[] | null> {
  return (await listIndexedAllocations(db, [splitter]))[0]!;
}

/**
 * Finds the payees of several splitters in the index, in their order, as `findIndexedAllocations`.
 *
 * @throws SlipwayError `splitter_mismatch`, which names the first that is another contract.
 */
export async function listIndexedAllocations(
  db: Queryable,
  splitters: readonly Hex[],
): Promise<(Allocation[] | null)[]> {
  const found = await findSplitters(db, splitters);
  return found.map(({ proven, allocations }, index) => {
    if (proven === true && allocations.length > 0) return allocations;
    if (proven === false) {
      throw new SlipwayError("splitter_mismatch", "This launch pays a contract that is not a proven splitter.", {
        details: { splitter: splitters[index] },
      });
    }
    return null;
  });
}

/**
 * Loads the payees of a launch's splitter: from the index where it has verified the splitter, else verified on the chain
 * in two round trips.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract, `manifest_unverified`,
 * `chain_unavailable`.
 */
export async function loadSplitterAllocations(
  deps: Pick<Deps, "chain" | "db">,
  splitter: Hex,
  deployment: LaunchDeployment,
  proven: ProvenManifest,
): Promise<Allocation[]> {
  const indexed = await findIndexedAllocations(deps.db.read, splitter);
  if (indexed !== null) return indexed;
  const [head, creation] = await Promise.all([
    readHead(deps.chain, proven.manifest.chain_id),
    findSplitterCreation(deps.chain, splitter, deployment, proven.verifiedAtBlock),
  ]);
  return await verifySplitterDeployment(deps.chain, splitter, creation, deployment, head);
}

/**
 * Reads where a proven splitter pays each payee, at the head: null for the payee itself. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readPayouts(
  chain: Deps["chain"],
  splitter: Hex,
  payees: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<(Hex | null)[]> {
  const reads = payees.map(
    (payee) => ({ address: splitter, abi: feeSplitterAbi, functionName: "payoutOf", args: [payee] }) as const,
  );
  const answers = await tryReadContracts(chain, head.number, reads, multicall3);
  // A splitter of the first edition has no payouts: it reverts.
  return answers.map(({ status, result }) => (status === "success" && result !== zeroAddress ? result : null));
}

/**
 * Reads what a launch's locker owes to a party because a payment failed, by asset, at the head. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readOwed(
  chain: Deps["chain"],
  deployment: LaunchDeployment,
  party: Hex,
  assets: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<bigint[]> {
  // A locker of the first edition settles all payments or none.
  if (isFirstEdition(deployment)) return assets.map(() => 0n);
  const locker = { address: deployment.fee_locker.address as Hex, abi: feeLockerAbi } as const;
  const reads = assets.map((asset) => ({ ...locker, functionName: "owed", args: [asset, party] }) as const);
  return await readContracts(chain, head.number, reads, multicall3);
}
