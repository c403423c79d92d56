import { maxClockLeadSeconds } from "@slipway/protocol/signedTypes";
import type { Clock } from "../clock.ts";

/** Validity of quotes, results and transactions in seconds, from the specification. */
export const validitySeconds = 60n;

/** Returns the Unix seconds of the service's clock. */
export const getUnixSeconds = (clock: Pick<Clock, "now">): bigint => BigInt(Math.floor(clock.now() / 1_000));

/** Returns `expires_at` of a quote or a result: 60 seconds after the request. @param now - The request's Unix seconds. */
export const getExpiry = (now: bigint): number => Number(now + validitySeconds);

/** Returns the head's time in Unix seconds, at most some minutes after the service's time. */
export const limitHeadTime = (now: bigint, { timestamp }: { timestamp: bigint }): bigint =>
  timestamp < now + maxClockLeadSeconds ? timestamp : now + maxClockLeadSeconds;

/**
 * Returns the later one of the service's time and the head's time, in Unix seconds: deadlines of transactions count
 * from it. On a chain without blocks the head is old, and the next block has the time of that moment, so a deadline
 * that counts from the head would be in the past.
 */
export const getIssueTime = (now: bigint, head: { timestamp: bigint }): bigint => {
  const headTime = limitHeadTime(now, head);
  return now > headTime ? now : headTime;
};

/** Returns the deadline of a transaction in block time. It is not before `expires_at`. */
export const getDeadline = (now: bigint, head: { timestamp: bigint }): bigint =>
  getIssueTime(now, head) + validitySeconds;
