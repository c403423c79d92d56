import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Hex } from "viem";
import { createEventParser } from "../../transactions/createEventParser.ts";
import { type Context, definePreparation } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";

/** A validated request; the address is checksummed. */
export type CancellationOrder = { wallet: Hex };

const step = { index: 1, total: 1, description: "Cancel every launch that the wallet has signed" };
const next = "Sign other launches: POST /launch/calls returns their typed_data";

const cancelCall = encodeCall({ abi: launchFactoryAbi, functionName: "cancel" });
const getFactory = (manifest: Manifest) => manifest.current.launch_factory.address as Hex;

/**
 * Prepares the transaction by which a wallet cancels the launches that it has signed and that did not happen yet.
 *
 * @throws SlipwayError `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareCancellation = definePreparation({
  action: "cancel_launches",

  read: (_: Context<CancellationOrder>) => null,

  plan: ({ manifest, order }) => ({
    shape: "transaction",
    candidates: [{ calls: [{ from: order.wallet, to: getFactory(manifest), data: cancelCall, value: 0n }] }],
    reads: {},
  }),

  check: ({ context: { manifest, order }, simulation }) => {
    requireOnlyCancellation(simulation, getFactory(manifest), order.wallet);
    return { status: "ready", step, next };
  },
});

const parseCancellations = createEventParser(launchFactoryAbi, "LaunchesCancelled");

/** Asserts that a simulated transaction only cancels launches. @throws SlipwayError `simulation_reverted`. */
function requireOnlyCancellation(simulation: Simulation, factory: Hex, wallet: Hex): void {
  if (!simulation.areAssetChangesKnown) return;
  const { logs, assetChanges } = simulation;
  const own = logs.filter(({ address }) => address.toLowerCase() === factory.toLowerCase());
  const isExact = logs.length === 1 && parseCancellations(own)[0]?.creator === wallet;
  if (isExact && assetChanges.length === 0) return;
  throw new SlipwayError("simulation_reverted", "The simulated transaction has other effects than requested.");
}
