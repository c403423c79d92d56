import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import {
  checkSplitterDeployment,
  draftSplitterSalt,
  encodeCreateSplitter,
  predictFactorySplitter,
  sameAllocations,
  splitterCreationInput,
} from "@slipway/protocol/splitter";
import type { Hex } from "viem";
import { ask, type Provider } from "../../wallet/provider.ts";

type Draft = Pick<DraftWithOptions, "id" | "intent">;

/** The splitter that pays exactly a draft's recipients. */
export type DraftSplitter = {
  /** The address at which the deployment's factory creates the splitter. */
  address: Hex;
  /** The input of a transaction without target that creates the splitter. */
  creation: Hex;
  /** The call of the factory that creates the splitter. */
  create: { to: string; data: Hex };
};

const toAllocations = ({ recipients }: Draft["intent"]) =>
  (recipients ?? []).map(({ wallet, share_bps }) => ({ payee: wallet.toLowerCase() as Hex, shareBps: share_bps }));

/**
 * Computes a draft's splitter from its recipients, without the service.
 *
 * @param contracts - The contracts of the deployment, by the names of `GET /config`.
 */
export function getDraftSplitter(
  { id, intent }: Draft,
  { splitter_factory: factory = "", splitter_implementation: implementation = "" }: Readonly<Record<string, string>>,
): DraftSplitter {
  const allocations = toAllocations(intent);
  const salt = draftSplitterSalt(id);
  return {
    address: predictFactorySplitter(factory as Hex, implementation as Hex, allocations, salt),
    creation: splitterCreationInput(implementation as Hex, allocations).toLowerCase() as Hex,
    create: { to: factory, data: encodeCreateSplitter(allocations, salt) },
  };
}

/** A splitter's address and the transaction that created it; null for one that the factory must have created. */
export type MadeSplitter = { address: string; hash: string | null };

/**
 * Whether a transaction created exactly the draft's splitter. Reads the transaction and the code from the wallet's
 * node, because the service names the transaction.
 *
 * @throws WalletError if the wallet does not answer
 */
export async function isCreatedSplitter(
  provider: Provider,
  { address, hash }: MadeSplitter,
  { intent }: Draft,
  { splitter_implementation: implementation = "" }: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (hash === null) return false;
  const [transaction, receipt, code] = (await Promise.all([
    ask(provider, "eth_getTransactionByHash", [hash]),
    ask(provider, "eth_getTransactionReceipt", [hash]),
    ask(provider, "eth_getCode", [address, "latest"]),
  ])) as [CreatingTransaction | null, CreationReceipt | null, Hex];
  if (transaction === null || receipt === null) return false;
  const deployment = {
    to: transaction.to ?? null,
    input: transaction.input,
    contractAddress: receipt.contractAddress ?? null,
    succeeded: receipt.status === "0x1",
  };
  const check = checkSplitterDeployment(address, deployment, code, implementation as Hex);
  return "allocations" in check && sameAllocations(check.allocations, toAllocations(intent));
}

type CreatingTransaction = { to?: string | null; input: Hex };
type CreationReceipt = { contractAddress?: string | null; status: string };
