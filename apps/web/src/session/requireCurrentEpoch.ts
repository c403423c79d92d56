import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import { importFile } from "../ui/importFile.ts";
import { ask, WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";

/**
 * Asserts that typed data have the creator's current epoch, by the wallet's own node: a signature for a later epoch
 * would become valid by a cancellation.
 *
 * @throws WalletError `not_as_asked`
 */
export async function requireCurrentEpoch({ provider }: Sender, { domain, message }: LaunchTypedData): Promise<void> {
  const { createEpochCall } = await importFile(() => import("@slipway/protocol/verify/orderedCalls"));
  const call = { to: domain.verifyingContract, data: createEpochCall(message.creator) };
  const epoch = await ask(provider, "eth_call", [call, "latest"]);
  if (BigInt(String(epoch)) !== BigInt(message.epoch)) throw new WalletError("not_as_asked");
}
