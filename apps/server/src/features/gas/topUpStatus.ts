import { SlipwayError } from "@slipway/protocol/errors";
import type { GasTopUpStatus } from "@slipway/protocol/gas";
import type { Hex } from "viem";
import { readReceipts } from "../../chain/relayer/readReceipts.ts";
import { outcomeOf } from "../../chain/relayer/tendTransactions.ts";
import { findTopUp } from "../../db/relayerTransactions.ts";
import type { Deps } from "../../deps.ts";

/**
 * What became of a top-up of the account, by the hash that it was answered with. One that is not known to be mined is
 * looked up on the chain.
 *
 * @throws SlipwayError `not_found`, `chain_unavailable`.
 */
export async function topUpStatus(deps: Deps, accountId: string, asked: Hex): Promise<GasTopUpStatus> {
  const hash = asked.toLowerCase() as Hex;
  const stored = await findTopUp(deps.db.api, accountId, hash);
  if (stored === null) throw new SlipwayError("not_found", "No top-up of yours has this hash.");
  let { state, minedHash, blockNumber } = stored;
  if (state === "sent") {
    const [mined] = await readReceipts(deps.chain, [stored]);
    if (mined) ({ state, minedHash, blockNumber } = { ...outcomeOf(mined), blockNumber: Number(mined.blockNumber) });
  }
  const block = blockNumber === null ? null : blockNumber.toString();
  const latest = stored.attempts.at(-1)!;
  // The one to look at: what was mined, or what was sent last.
  const current = minedHash ?? (state === "sent" ? latest.hash : hash);
  if (current !== hash) return { status: "replaced", hash: current, block_number: block };
  return { status: state === "sent" ? "pending" : state, hash, block_number: block };
}
