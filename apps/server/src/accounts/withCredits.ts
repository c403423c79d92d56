import { SlipwayError } from "@slipway/protocol/errors";
import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { chargeCredits, refundCredits } from "./credits.ts";

/** The records of paid work, in the transactions of its charge and of its refund. */
export type PaidWork = {
  /** Records that the work begins; an error prevents the charge. */
  begin(client: Queryable): Promise<void>;
  /** Records that the work failed; false when the failure is already recorded, and so refunded. */
  fail(client: Queryable): Promise<boolean>;
};

/**
 * Runs work for credits. One transaction contains the charge and the record of the start; one contains the refund of
 * failed work and the record of the failure. Work without a recorded end can therefore be refunded later, and no work
 * is refunded twice.
 *
 * @param charge.requestId - The id of the request: charge and refund are booked once for it. A retry needs another one.
 * @throws SlipwayError `insufficient_credits`, and the errors of the records and of the work.
 */
export async function withCredits<T>(
  { api, log }: { api: pg.Pool; log: { error(fields: object, event: string): void } },
  charge: { accountId: string; credits: number; reason: string; requestId: string },
  record: PaidWork,
  work: () => Promise<T>,
): Promise<T> {
  const { accountId, requestId } = charge;
  await withTransaction(api, async (client) => {
    await record.begin(client);
    if (!(await chargeCredits(client, charge))) throw new SlipwayError("insufficient_credits");
  });
  try {
    return await work();
  } catch (error) {
    await withTransaction(api, async (client) => {
      if (await record.fail(client)) await refundCredits(client, accountId, requestId);
    }).catch((failure: unknown) =>
      log.error(
        { err: failure, accountId, requestId, credits: charge.credits },
        "credits of failed request not refunded",
      ),
    );
    throw error;
  }
}
