import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { consumeGasQuote, type StoredGasQuote } from "../../relayer/gasQuotes.ts";
import { sendAttempt } from "../../relayer/processPendingTransactions.ts";
import type { FeesPerGas } from "../../relayer/relayerKey.ts";
import {
  findQuoteHash,
  type NewTransaction,
  readDailySpend,
  readDailyUsage,
  takeNonce,
} from "../../relayer/relayerTransactions.ts";
import { storeTransaction } from "../../relayer/storeTransaction.ts";
import { createStationUnavailable } from "./requireAvailableStation.ts";

/** The account that requests a top-up, and its network address. */
export type TopUpCaller = { accountId: string; clientAddress: string };

/** A simulated top-up, with the chain's next nonce of the relayer. */
export type PreparedTopUp = { station: Hex; data: Hex; gasLimit: bigint; chainNonce: bigint; fees: FeesPerGas };

/**
 * Consumes the quote, takes a nonce, signs and stores the transaction in one database transaction; then sends it. After
 * the commit the stored bytes are sent again until the chain has them.
 *
 * @returns the transaction's hash.
 * @throws SlipwayError `quote_consumed`, `rate_limited`, `gas_station_unavailable`; the quote is then not consumed.
 */
export async function sendTopUp(
  deps: Deps,
  caller: TopUpCaller,
  quote: StoredGasQuote,
  prepared: PreparedTopUp,
): Promise<Hex> {
  const key = deps.relayerKey;
  if (key === null) throw createStationUnavailable("Not configured by the operator.");
  const sender = { chainId: quote.chainId, sender: key.address.toLowerCase() };
  const attempt = await withTransaction(deps.db.api, async (client) => {
    // First: concurrent requests for one quote wait for this row, and only one takes a nonce.
    if (!(await consumeGasQuote(client, quote.id))) return null;
    const nonce = await takeNonce(client, sender, prepared.chainNonce);
    if (nonce === null) {
      deps.log.error({ chainNonce: prepared.chainNonce.toString() }, "relayer nonce too far ahead");
      throw createStationUnavailable("The relayer's nonce is not known.");
    }
    const { station, data, gasLimit, fees } = prepared;
    // The lock on the nonce's row prevents the insert of another top-up between these counts and the insert.
    await checkBudgets(deps, client, quote, caller.clientAddress);
    const maxCost = quote.nativeAmount + gasLimit * fees.maxFee;
    if ((await readDailySpend(client, sender, "top-up")) + maxCost > deps.config.GAS_STATION_DAILY_CAP_WEI) {
      throw createStationUnavailable("The day's cap is used up.");
    }
    const transaction: NewTransaction = {
      ...sender,
      id: deps.ids.uuid(),
      nonce,
      station,
      data,
      gasLimit,
      quoteId: quote.id,
      paymentId: null,
      accountId: caller.accountId,
      wallet: quote.wallet,
      clientAddress: caller.clientAddress,
      nativeAmount: quote.nativeAmount,
      deadline: quote.deadline,
    };
    return await storeTransaction(client, key, transaction, fees);
  });
  if (attempt === null) throw await createQuoteConsumed(deps, quote.id);
  deps.metrics.gasTopUps.inc({ outcome: "sent" });
  await sendAttempt(deps, attempt).catch((error: unknown) => {
    deps.log.warn({ err: error, hash: attempt.hash }, "top-up broadcast failed");
  });
  return attempt.hash;
}

/** Creates the error of a consumed quote, with the hash of its top-up for a caller that missed the first response. */
export async function createQuoteConsumed(deps: Pick<Deps, "db">, id: Hex): Promise<SlipwayError> {
  const hash = await findQuoteHash(deps.db.api, id);
  return new SlipwayError("quote_consumed", undefined, hash === null ? {} : { details: { hash } });
}

/**
 * Checks the daily budgets of a wallet and a network address. A wallet has one pending top-up at a time: otherwise, two
 * top-ups could spend the same tokens, both simulations succeed, and one reverts at the relayer's cost.
 *
 * @throws SlipwayError `rate_limited`.
 */
async function checkBudgets(deps: Deps, client: Client, quote: StoredGasQuote, clientAddress: string): Promise<void> {
  const { wallet, address } = await readDailyUsage(client, quote.wallet, clientAddress);
  const { config } = deps;
  if (wallet.unmined > 0) throw createRateLimited("The wallet's last top-up is not mined yet; wait for it.");
  if (wallet.sent >= config.GAS_STATION_WALLET_BUDGET) {
    throw createRateLimited("The wallet has used its top-ups of the day.", wallet.leftSeconds);
  }
  if (address.sent >= config.GAS_STATION_ADDRESS_BUDGET) {
    throw createRateLimited("This network address has used its top-ups of the day.", address.leftSeconds);
  }
  for (const { failed, failedLeftSeconds } of [wallet, address]) {
    if (failed < config.GAS_STATION_FAILURE_BUDGET) continue;
    throw createRateLimited("Too many top-ups failed on the chain today.", failedLeftSeconds);
  }
}

/** @param retryAfterSeconds - Seconds until a retry may succeed; absent if a retry may succeed soon. */
function createRateLimited(message: string, retryAfterSeconds?: number): SlipwayError {
  const details = retryAfterSeconds === undefined ? undefined : { retry_after_seconds: Math.max(1, retryAfterSeconds) };
  return new SlipwayError("rate_limited", message, details && { details });
}
