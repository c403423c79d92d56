import type { Tables } from "./tables.ts";

/** Reads the tables of openings. Undone batches leave sums of zero, which are left out. */
export async function dumpOpenings(rows: (sql: string) => Promise<any[]>, tables: Tables): Promise<void> {
  for (const r of await rows("select * from chain.openings")) {
    const params = [r.name, r.symbol, r.contract_uri, r.splitter, r.partner, r.fee_bps, r.params_hash];
    const bounds = [BigInt(r.minimum), BigInt(r.cap), r.deadline];
    tables.openings.set(r.address, [
      r.factory,
      r.creator,
      ...params,
      ...bounds,
      r.block_number,
      r.log_index,
      r.tx_hash,
    ]);
  }
  const at = (r: any) => `${r.block_number}:${r.log_index}`;
  for (const r of await rows("select * from chain.opening_deposits")) {
    tables.opening_deposits.set(at(r), [r.opening, r.account, BigInt(r.amount), BigInt(r.total)]);
  }
  for (const r of await rows("select * from chain.opening_ends")) {
    tables.opening_ends.set(r.opening, [at(r), r.kind, r.token, BigInt(r.spent), BigInt(r.bought)]);
  }
  for (const r of await rows("select * from chain.opening_claims")) {
    tables.opening_claims.set(at(r), [r.opening, r.account, r.recipient, BigInt(r.tokens), BigInt(r.refund)]);
  }
  for (const r of await rows("select * from chain.opening_accounts where deposit <> 0 or claims <> 0")) {
    const sums = [BigInt(r.deposit), r.claims, BigInt(r.tokens), BigInt(r.refund)];
    tables.opening_accounts.set(`${r.opening}:${r.account}`, sums);
  }
  for (const r of await rows("select * from chain.opening_sums where depositors <> 0 or claimants <> 0")) {
    const sums = [BigInt(r.deposit), r.depositors, r.claimants, BigInt(r.tokens), BigInt(r.refund)];
    tables.opening_sums.set(r.opening, sums);
  }
}
