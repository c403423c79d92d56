import type { ClaimRequest, UnsignedResult } from "@slipway/protocol/transaction";
import type { Client } from "./createMethods.ts";
import { runStep, type Step, type StepOptions } from "./runSteps.ts";
import type { StepWallet } from "./stepWallet.ts";

/** `accept` gets the request of each result, so that it can verify the result with `verifyPrepared`. */
export type ClaimFeesOptions = Omit<StepOptions<UnsignedResult>, "accept"> & {
  accept?: (
    result: UnsignedResult,
    asked: { operation: "prepareFeeClaim"; request: ClaimRequest },
  ) => boolean | Promise<boolean>;
};

const stages = ["collect", "settle", "release"] as const;

/**
 * Claims a wallet's fees of a token in both assets: collects the fees of the pool, settles them to the splitter, and
 * releases the wallet's part. A stage that would move nothing is left out. Keeps no state: after a crash, call it again.
 *
 * @example
 * for await (const step of claimFees(client, wallet, token)) console.log(step.result.action, step.state);
 *
 * @throws StepError if a step is refused or does not succeed; the errors of the client and of the wallet.
 */
export async function* claimFees(
  client: Pick<Client, "prepareFeeClaim">,
  wallet: StepWallet,
  token: string,
  { accept, ...others }: ClaimFeesOptions = {},
): AsyncGenerator<Step<UnsignedResult>, void> {
  for (const stage of stages) {
    const request = { token, wallet: wallet.address, stage };
    const asked = { operation: "prepareFeeClaim", request } as const;
    const isAccepted = accept === undefined ? {} : { accept: (result: UnsignedResult) => accept(result, asked) };
    yield* runStep(() => client.prepareFeeClaim(request), wallet, { ...others, ...isAccepted });
  }
}
