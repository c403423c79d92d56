/** A value in a comparison: amounts are exact, prices may differ by rounding. */
export type Value = string | number | bigint | boolean | null | Value[] | { [key: string]: Value };

/** The index, with names that do not depend on surrogate ids. */
export type Tables = {
  tokens: Map<string, { [key: string]: Value }>;
  state: Map<string, { [key: string]: Value }>;
  trades: Map<string, { [key: string]: Value }>;
  /** Changes of pools that are no trades. */
  pool_changes: Map<string, Value[]>;
  /** The pool's assets after each trade and each change. */
  reserves: Map<string, Value[]>;
  candles: Map<string, { [key: string]: Value }>;
  traders: Map<string, number>;
  cost_bases: Map<string, { [key: string]: Value }>;
  balances: Map<string, bigint>;
  totals: Map<string, { [key: string]: Value }>;
  /** Sums by day, with the number of different accounts that traded. */
  days: Map<string, { [key: string]: Value }>;
  /** Accounts that began and ceased to hold, by token and minute. */
  holder_minutes: Map<string, { [key: string]: Value }>;
  /** What the pool pays for the tokens that an account bought and has not sold. */
  positions: Map<string, { [key: string]: Value }>;
  /** Candles of further intervals with their counts. */
  listed: Map<string, { [key: string]: Value }>;
  fee_events: Map<string, Value[]>;
  treasury_changes: Map<string, Value[]>;
  splitters: Map<string, boolean>;
  payees: Map<string, Value[]>;
  splitter_events: Map<string, Value[]>;
  splitter_receipts: Map<string, Value[]>;
  splitter_received: Map<string, bigint>;
  splitter_released: Map<string, bigint>;
  openings: Map<string, Value[]>;
  opening_deposits: Map<string, Value[]>;
  opening_ends: Map<string, Value[]>;
  opening_claims: Map<string, Value[]>;
  /** Sums by opening and account: deposit, claims, tokens, refund. */
  opening_accounts: Map<string, Value[]>;
  /** Sums by opening: deposit, depositors, claimants, tokens, refund. */
  opening_sums: Map<string, Value[]>;
  topups: Map<string, Value[]>;
  eth_usd: Map<number, { [key: string]: Value }>;
  /** Facts of launches: see referenceFacts.ts. */
  facts: Map<string, { [key: string]: Value }>;
  first_buyers: Map<string, Value[]>;
  first_buys: Map<string, { [key: string]: Value }>;
  creator_transfers: Map<string, Value>;
};

export function emptyTables(): Tables {
  return {
    tokens: new Map(),
    state: new Map(),
    trades: new Map(),
    pool_changes: new Map(),
    reserves: new Map(),
    candles: new Map(),
    traders: new Map(),
    cost_bases: new Map(),
    balances: new Map(),
    totals: new Map(),
    days: new Map(),
    holder_minutes: new Map(),
    positions: new Map(),
    listed: new Map(),
    fee_events: new Map(),
    treasury_changes: new Map(),
    splitters: new Map(),
    payees: new Map(),
    splitter_events: new Map(),
    splitter_receipts: new Map(),
    splitter_received: new Map(),
    splitter_released: new Map(),
    openings: new Map(),
    opening_deposits: new Map(),
    opening_ends: new Map(),
    opening_claims: new Map(),
    opening_accounts: new Map(),
    opening_sums: new Map(),
    topups: new Map(),
    eth_usd: new Map(),
    facts: new Map(),
    first_buyers: new Map(),
    first_buys: new Map(),
    creator_transfers: new Map(),
  };
}

/** Doubles that were computed in another order may differ in their last digits only. */
const tolerance = 1e-9;

/** Returns every difference between two sets of tables, as sentences; empty if they are equal. */
export function differences(expected: Tables, actual: Tables): string[] {
  const found: string[] = [];
  for (const table of Object.keys(expected) as (keyof Tables)[]) {
    const wanted = expected[table] as Map<unknown, Value>;
    const got = actual[table] as Map<unknown, Value>;
    for (const key of new Set([...wanted.keys(), ...got.keys()])) {
      const where = `${table} ${String(key)}`;
      if (!wanted.has(key)) found.push(`${where}: must not be there`);
      else if (!got.has(key)) found.push(`${where}: is missing`);
      else compare(where, wanted.get(key)!, got.get(key)!, found);
    }
  }
  return found;
}

function compare(where: string, wanted: Value, got: Value, found: string[]): void {
  if (typeof wanted === "object" && wanted !== null && typeof got === "object" && got !== null) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    for (const key of keys) compare(`${where} ${key}`, (wanted as any)[key] ?? null, (got as any)[key] ?? null, found);
  } else if (typeof wanted === "number" && typeof got === "number") {
    const scale = Math.max(Math.abs(wanted), Math.abs(got));
    // A change in percent is a difference of near-equal values: its precision is relative to 1, not to its own size.
    const isClose = where.endsWith("_pct")
      ? Math.abs(wanted - got) <= 1e-6 * Math.max(1, scale)
      : Math.abs(wanted - got) <= tolerance * scale;
    if (!isClose) found.push(`${where}: ${got} instead of ${wanted}`);
  } else if (wanted !== got) {
    // USD sums in millionths may differ by the last digits of the double of ETH/USD.
    const isUsd = /(usd|fees|protocol|collaborators|v)$/.test(where);
    if (isUsd && typeof wanted === "bigint" && typeof got === "bigint" && isNear(wanted, got)) return;
    found.push(`${where}: ${String(got)} instead of ${String(wanted)}`);
  }
}

function isNear(a: bigint, b: bigint): boolean {
  const distance = a > b ? a - b : b - a;
  const size = (value: bigint) => (value < 0n ? -value : value);
  return distance <= 2n || [a, b].some((value) => distance * 1_000_000_000n <= size(value));
}
