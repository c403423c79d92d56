import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { Contracts } from "@slipway/protocol/verify/check";
import { isCreatedSplitter as isCreated, type SplitterCreation } from "@slipway/protocol/verify/draftSplitter";
import { ask, type Provider } from "../../wallet/provider.ts";

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
  { draft, creator }: { draft: Pick<DraftWithOptions, "intent">; creator: string },
  contracts: Contracts,
): Promise<boolean> {
  if (hash === null) return false;
  const [transaction, receipt, code] = await Promise.all([
    ask(provider, "eth_getTransactionByHash", [hash]),
    ask(provider, "eth_getTransactionReceipt", [hash]),
    ask(provider, "eth_getCode", [address, "latest"]),
  ]);
  return isCreated({ address, transaction, receipt, code } as SplitterCreation, draft, creator, contracts);
}
