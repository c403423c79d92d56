import type { Manifest } from "@slipway/protocol/manifest";
import type { UnsignedTransaction } from "@slipway/protocol/transaction";
import { createVanitySearch, type VanitySalt } from "@slipway/protocol/vanitySearch";
import { listContracts } from "@slipway/protocol/verify/listContracts";
import { readLaunchCall } from "@slipway/protocol/verify/preparedLaunch";

export type { VanitySalt };

/** The wanted last hex digits of a token's address, and how the search reports and ends. */
export type Vanity = {
  /** 1 to 8 hex digits in any case. Each digit multiplies the duration of the search by 16. */
  suffix: string;
  /** The pinned contracts, of `createTrust`. */
  manifest: Manifest;
  signal?: AbortSignal | undefined;
  /** Gets the number of salts tried, about every 50 ms. `expected`: the mean number of salts that a search tries. */
  onProgress?: ((tried: number, expected: number) => void) | undefined;
};

/** The time between two pauses, in milliseconds. */
const workMs = 50;
/** Salts between two looks at the clock. */
const saltsTogether = 100;

/**
 * Finds a salt for a launch whose token's address ends with the suffix. Prepare the launch with any salt, then again with
 * the returned one. Equal launches have equal results, also after a restart. Pauses regularly for the event loop. In a
 * page, run it in a worker: it uses a whole core.
 *
 * The launch is the one that the service prepared. A false parameter leads to another address: verify the launch with
 * the found salt by `verifyPrepared`, and compare `expected.token` with `token`.
 *
 * @param transaction - A prepared launch of `POST /launch/transactions`.
 * @throws RangeError for a suffix of another form, or another transaction; the reason of `signal`
 */
export async function findVanitySalt(
  transaction: UnsignedTransaction,
  { suffix, manifest, signal, onProgress }: Vanity,
): Promise<VanitySalt> {
  const launch = readLaunchCall(transaction, transaction.from);
  if (launch === null) throw new RangeError("The transaction is not a prepared launch.");
  const search = createVanitySearch({
    contracts: listContracts(manifest),
    suffix,
    creator: launch.creator,
    params: launch.params,
  });
  for (;;) {
    signal?.throwIfAborted();
    onProgress?.(search.tried(), search.expected);
    const pauseAt = performance.now() + workMs;
    while (performance.now() < pauseAt) {
      const found = search.tryNext(saltsTogether);
      if (found !== null) return found;
    }
    await new Promise<void>((resolve) => setTimeout(resolve));
  }
}
