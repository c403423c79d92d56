import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import type { WalletFeePending } from "@slipway/protocol/fees";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Deps } from "../../deps.ts";
import { listEarningTokens } from "./earningQueries.ts";
import { readPending } from "./readPending.ts";

/** Errors of one token, which leave the others readable. */
const tokenErrors: ReadonlySet<ErrorCode> = new Set(["pool_not_supported", "splitter_mismatch", "simulation_reverted"]);

/**
 * Reads the pending fees of a page of a wallet's launches: one `eth_call` for each token, all in one batch.
 *
 * @throws SlipwayError `cursor_expired`, and the errors of `readPending` that concern all tokens.
 */
export async function readWalletPending(
  deps: Pick<Deps, "chain" | "db">,
  page: { wallet: Hex; after: string | null; limit: number },
): Promise<WalletFeePending> {
  const { wallet, limit } = page;
  const found = await listEarningTokens(deps.db.read, { ...page, wallet: wallet.toLowerCase() as Hex });
  if (!found.is_cursor_known) throw new SlipwayError("cursor_expired");
  const tokens = found.tokens.slice(0, limit).map(checksummed);
  return {
    wallet,
    items: await Promise.all(tokens.map(async (token) => await readOwn(deps, token, wallet))),
    next_cursor: found.tokens.length > limit ? tokens.at(-1)!.toLowerCase() : null,
  };
}

async function readOwn(
  deps: Pick<Deps, "chain" | "db">,
  token: Hex,
  wallet: Hex,
): Promise<WalletFeePending["items"][number]> {
  try {
    const { splitter, assets, recipients, as_of_block } = await readPending(deps, token);
    const own = recipients.find((recipient) => recipient.wallet === wallet);
    return {
      token,
      splitter,
      share_bps: own?.share_bps ?? 0,
      amounts: assets.map(({ asset, symbol, decimals }, i) => ({
        asset,
        symbol,
        decimals,
        amount: own?.amounts[i]?.amount ?? "0",
      })),
      as_of_block,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof SlipwayError) || !tokenErrors.has(error.code)) throw error;
    const { code, message } = error;
    return { token, splitter: null, share_bps: null, amounts: [], as_of_block: null, error: { code, message } };
  }
}
