import { SlipwayError } from "@slipway/protocol/errors";
import type { GasTopUpStatus } from "@slipway/protocol/gas";
import type { Hex } from "viem";
import type { Deps } from "../../deps.ts";
import { readReceipts, toOutcome } from "../../relayer/processPendingTransactions.ts";
import { findTopUp } from "../../relayer/relayerTransactions.ts";
import { createRoute, type Route } from "../../route.ts";
import { quoteTopUp } from "./quoteTopUp.ts";
import { relayTopUp } from "./relayTopUp.ts";

/** Routes that sell native for gas, paid with a stablecoin, to a wallet without native. */
export function gasRoutes(deps: Deps): Route[] {
  return [
    createRoute("quoteGas", {
      handle: async ({ body, principal }) => await quoteTopUp(deps, principal.accountId, body),
    }),

    createRoute("topUpGas", {
      handle: async ({ body, principal, clientAddress }) =>
        await relayTopUp(deps, { accountId: principal.accountId, clientAddress }, body),
    }),

    createRoute("getTopUp", {
      handle: async ({ params, principal }) => await getTopUpStatus(deps, principal.accountId, params.hash as Hex),
    }),
  ];
}

/**
 * Returns the state of a top-up of the account, by the hash in its response. Reads the receipt of a top-up that is not
 * recorded as mined.
 *
 * @throws SlipwayError `not_found`, `chain_unavailable`.
 */
export async function getTopUpStatus(deps: Deps, accountId: string, requested: Hex): Promise<GasTopUpStatus> {
  const hash = requested.toLowerCase() as Hex;
  const stored = await findTopUp(deps.db.api, accountId, hash);
  if (stored === null) throw new SlipwayError("not_found", "Your account has no top-up with this hash.");
  let { state, minedHash, blockNumber } = stored;
  if (state === "sent") {
    const [mined] = await readReceipts(deps.chain, [stored]);
    if (mined) ({ state, minedHash, blockNumber } = { ...toOutcome(mined), blockNumber: Number(mined.blockNumber) });
  }
  const block = blockNumber === null ? null : blockNumber.toString();
  const latest = stored.attempts.at(-1)!;
  // The mined attempt, or the latest one.
  const current = minedHash ?? (state === "sent" ? latest.hash : hash);
  if (current !== hash) return { status: "replaced", hash: current, block_number: block };
  return { status: state === "sent" ? "pending" : state, hash, block_number: block };
}
