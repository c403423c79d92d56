import { SlipwayError } from "@slipway/protocol/errors";
import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { chargeCredits, refundCredits } from "./credits.ts";

/** What is recorded of paid work, in the transactions of its charge and of its refund. */
export type PaidWork = {
  /** Records that the work begins; what it throws prevents the charge. */
  begin(client: Queryable): Promise<void>;
  /** Records that the work failed; false when that is recorded, and so refunded, already. */
  fail(client: Queryable): Promise<boolean>;
};

/**
 * Runs work for credits. The charge and its record are one transaction, and so are the refund of work that fails and its
 * record: a record without an end can be refunded later, and none is refunded twice.
 *
 * @param charge.requestId - The id of the request: charge and refund are booked once for it. A retry needs another one.
 * @throws SlipwayError `insufficient_credits`, and whatever the record and the work throw.
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
