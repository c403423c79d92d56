import type { AuthorizationUse } from "./findAuthorizationUse.ts";
import type { PaymentEnd, StoredPayment } from "./queries.ts";
import type { AuthorizationReading, Block } from "./readAuthorization.ts";

/** Blocks that are never final, however old they are: as in the index. */
const minWindowBlocks = 64n;

/** The end of a payment, as far as the chain decides it; `null`: it is not final. */
export type ChainEnd = (Omit<PaymentEnd, "status"> & { status: "paid" | "failed" | "held" }) | null;

/** Whether no reorganisation within the window can replace a block. */
const isFinal = ({ number, timestamp }: Block, newest: Block, windowSeconds: number): boolean =>
  number <= newest.number - minWindowBlocks && timestamp < newest.timestamp - BigInt(windowSeconds);

/**
 * Decides from one endpoint's reading how a payment ends. An authorization that was not used before its expiry was final
 * can never be used: its token refuses it in every later block.
 *
 * @param windowSeconds - REORG_WINDOW_SECONDS.
 */
export function decideEnd(
  payment: Pick<StoredPayment, "payee" | "amount" | "expiry" | "validBefore">,
  { newest, state, expiry }: AuthorizationReading,
  windowSeconds: number,
): ChainEnd {
  if (state.kind === "unknown") return null;
  if (state.kind === "unused") {
    const hasExpired =
      payment.expiry !== null &&
      expiry?.hash === payment.expiry.hash &&
      expiry.timestamp >= payment.validBefore &&
      isFinal(expiry, newest, windowSeconds);
    return hasExpired ? { status: "failed", reason: "expired", transaction: null, blockNumber: null } : null;
  }
  if (!isFinal(state.block, newest, windowSeconds)) return null;
  return { ...judgeUse(payment, state.use), transaction: state.hash, blockNumber: state.block.number };
}

function judgeUse(
  { payee, amount }: Pick<StoredPayment, "payee" | "amount">,
  use: AuthorizationUse,
): Pick<NonNullable<ChainEnd>, "status" | "reason"> {
  if (use.kind === "cancelled") return { status: "failed", reason: "cancelled" };
  // The payer signed another transfer with the same nonce, which paid nothing to the operator.
  if (use.transferred !== null && use.transferred.to !== payee) return { status: "failed", reason: "used_otherwise" };
  if (use.transferred?.value !== amount) return { status: "held", reason: "amount_differs" };
  return { status: "paid", reason: null };
}
