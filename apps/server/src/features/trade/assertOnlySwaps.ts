import { SlipwayError } from "@slipway/protocol/errors";
import type { Quote } from "@slipway/protocol/transaction";
import type { Simulation } from "../../chain/simulate.ts";

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Makes sure that the simulated swap takes no more than the amount from the wallet, nothing else, and gives it at least
 * the minimum. Less is taken when somebody left native in the router: it pays with that first. Where the node gave no
 * transfers, the router's own checks stand alone.
 *
 * @throws SlipwayError `simulation_reverted`.
 */
export function assertOnlySwaps(simulation: Simulation, wallet: string, quote: Quote): void {
  if (simulation.assetChanges.length === 0 && simulation.method === "eth_call") return;
  let spent = 0n;
  let received = 0n;
  let somethingElse = false;
  for (const { asset, from, to, amount } of simulation.assetChanges) {
    if (same(from, wallet)) {
      if (same(asset, quote.token_in)) spent += BigInt(amount);
      else somethingElse = true;
    }
    if (same(to, wallet) && same(asset, quote.token_out)) received += BigInt(amount);
  }
  if (!somethingElse && spent <= BigInt(quote.amount_in) && received >= BigInt(quote.minimum_out)) return;
  throw new SlipwayError("simulation_reverted", "The simulated swap moves something else than was asked for.", {
    details: { spent: spent.toString(), received: received.toString() },
  });
}
