import { getContractAddress, type Hex } from "viem";
import { protocolFeeBps } from "../feeTiers.ts";
import type { DraftWithOptions } from "../launchOptions.ts";
import {
  type Allocation,
  checkSplitterDeployment,
  draftSplitterSalt,
  encodeCreateSplitter,
  predictFactorySplitter,
  sameAllocations,
  splitterCreationInput,
} from "../splitter.ts";
import type { Contracts } from "./check.ts";

/** The splitter that pays exactly a draft's recipients. */
export type DraftSplitter = {
  /** The address at which the deployment's factory creates the splitter. */
  address: Hex;
  /** The input of a transaction without target that creates the splitter. */
  creation: Hex;
  /** The call of the factory that creates the splitter. */
  create: { to: string; data: Hex };
};

/** Equals `toAllocations` of `intent.ts`, without its schemas: the site loads this module. */
function toAllocations({ recipients = [], fee_bps }: DraftWithOptions["intent"], creator: string): Allocation[] {
  if (recipients.length === 0 && fee_bps === protocolFeeBps) {
    return [{ payee: creator.toLowerCase() as Hex, shareBps: 10_000 }];
  }
  return recipients.map(({ wallet, share_bps }) => ({ payee: wallet.toLowerCase() as Hex, shareBps: share_bps }));
}

/**
 * Computes a draft's splitter from its recipients, without the service.
 *
 * @param creator - The creator of the launch: the only payee of a draft that has, and needs, no recipients.
 */
export function getDraftSplitter(
  { id, intent }: Pick<DraftWithOptions, "id" | "intent">,
  creator: string,
  { splitter_factory: factory = "", splitter_implementation: implementation = "" }: Contracts,
): DraftSplitter {
  const allocations = toAllocations(intent, creator);
  const salt = draftSplitterSalt(id);
  return {
    address: predictFactorySplitter(factory as Hex, implementation as Hex, allocations, salt),
    creation: splitterCreationInput(implementation as Hex, allocations).toLowerCase() as Hex,
    create: { to: factory, data: encodeCreateSplitter(allocations, salt) },
  };
}

/**
 * Returns the address of a prepared splitter: that of the transaction that creates it, or the factory's.
 *
 * @param nonce - The wallet's nonce of the creation; null if the factory creates the splitter.
 */
export const getSplitterAddress = (splitter: DraftSplitter, wallet: string, nonce: number | null): Hex =>
  nonce === null ? splitter.address : getContractAddress({ from: wallet as Hex, nonce: BigInt(nonce) });

/** The responses of a node about a splitter and its creation transaction; null if the node does not know the transaction. */
export type SplitterCreation = {
  address: string;
  transaction: { to?: string | null; input: Hex } | null;
  receipt: { contractAddress?: string | null; status: string } | null;
  code: Hex;
};

/** Whether a transaction created exactly the draft's splitter. */
export function isCreatedSplitter(
  { address, transaction, receipt, code }: SplitterCreation,
  { intent }: Pick<DraftWithOptions, "intent">,
  creator: string,
  { splitter_implementation: implementation = "" }: Contracts,
): boolean {
  if (transaction === null || receipt === null) return false;
  const deployment = {
    to: transaction.to ?? null,
    input: transaction.input,
    contractAddress: receipt.contractAddress ?? null,
    succeeded: receipt.status === "0x1",
  };
  const check = checkSplitterDeployment(address, deployment, code, implementation as Hex);
  return "allocations" in check && sameAllocations(check.allocations, toAllocations(intent, creator));
}
