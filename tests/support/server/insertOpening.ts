import type { Database } from "@slipway/server/db/database";
import { headTime, insert, toAddress, toHash } from "./rows.ts";

type Values = Record<string, unknown>;

/**
 * Stores an opening, and returns its address. Its deadline is a minute after the head.
 *
 * @param n - Distinguishes openings; a greater one is newer.
 */
export async function insertOpening(db: Database, n: number, changed: Values = {}): Promise<string> {
  const address = toAddress(2_000 + n);
  await insert(db, "chain.openings", {
    address,
    name: `Tin Ark ${n}`,
    symbol: `ARK${n}`,
    contract_uri: "data:,",
    factory: toAddress(1),
    creator: toAddress(2),
    splitter: toAddress(3),
    partner: toAddress(0),
    fee_bps: 30,
    params_hash: toHash(4),
    minimum: "1",
    cap: "2",
    deadline: headTime + 60,
    block_number: n,
    log_index: 0,
    block_time: headTime - 60,
    tx_hash: toHash(n),
    ...changed,
  });
  return address;
}

let events = 0;
const nextPlace = () => ({
  block_number: 1_000 + ++events,
  log_index: 0,
  block_time: headTime,
  tx_hash: toHash(events),
});

/** Stores a deposit of an account. */
export async function insertDeposit(db: Database, opening: string, account: string, amount: number): Promise<void> {
  await insert(db, "chain.opening_deposits", { opening, account, amount, total: amount, ...nextPlace() });
}

/** Stores a claim of an account. */
export async function insertClaim(
  db: Database,
  opening: string,
  account: string,
  paid: { tokens: number; refund: number },
): Promise<void> {
  await insert(db, "chain.opening_claims", { opening, account, recipient: account, ...paid, ...nextPlace() });
}

/** Stores the end of an opening. @param bought - The tokens that the depositors share. */
export async function insertEnd(
  db: Database,
  opening: string,
  kind: "opened" | "closed",
  { spent, bought }: { spent: number; bought: number },
): Promise<void> {
  await insert(db, "chain.opening_ends", { opening, kind, token: toAddress(9_000), spent, bought, ...nextPlace() });
}
