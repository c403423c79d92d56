import type { OpeningStatus } from "@slipway/protocol/openings";
import type { Queryable } from "../../db/database.ts";

/** An opening with the sums of its events. Addresses and hashes are lower case, amounts decimal text in base units. */
export type OpeningRow = {
  address: string;
  factory: string;
  creator: string;
  name: string;
  symbol: string;
  contract_uri: string;
  splitter: string;
  partner: string;
  fee_bps: number;
  minimum: string;
  cap: string;
  deadline: number;
  block_number: number;
  log_index: number;
  block_time: number;
  tx_hash: string;
  /** The block time of the index. */
  now: number;
  status: OpeningStatus;
  total: string;
  depositors: number;
  claimed_tokens: string;
  claimed_refund: string;
  end_kind: "opened" | "closed" | null;
  token: string | null;
  spent: string | null;
  /** The tokens that the depositors share, also if the opening closed. */
  bought: string | null;
  /** Whether the operator has blocked the opening. */
  blocked: boolean;
  end_block: number | null;
  end_time: number | null;
  end_tx: string | null;
};

/**
 * SQL of the status of an opening `o` with its sums `s` and its end `e`, at the time of the index. An opening that closes after
 * refunds pays tokens to depositors who have claimed before. Rounding leaves less than one base unit for each depositor.
 */
const status = `case
  when e.kind is null and o.deadline >= c.block_time
    then case when coalesce(s.deposit, 0) >= o.minimum then 'ready' else 'open' end
  when coalesce(s.depositors, 0) = 0
    or (s.claimants >= s.depositors and coalesce(e.bought, 0) - s.tokens < s.depositors) then 'done'
  when e.kind = 'opened' then 'opened'
  else 'refunding'
end`;

const columns = `o.address, o.factory, o.creator, o.name, o.symbol, o.contract_uri, o.splitter, o.partner, o.fee_bps,
  o.minimum, o.cap, o.deadline, o.block_number, o.log_index, o.block_time, o.tx_hash, c.block_time as now,
  ${status} as status, coalesce(s.deposit, 0) as total, coalesce(s.depositors, 0) as depositors,
  coalesce(s.tokens, 0) as claimed_tokens, coalesce(s.refund, 0) as claimed_refund, e.kind as end_kind, e.token, e.spent,
  e.bought, b.opening is not null as blocked, e.block_number as end_block, e.block_time as end_time, e.tx_hash as end_tx`;

const joins = `cross join chain.checkpoint c
  left join chain.opening_sums s on s.opening = o.address
  left join chain.opening_ends e on e.opening = o.address
  left join app.blocked_openings b on b.opening = o.address and b.blocked_at is not null`;

/** A place among openings or deposits. */
export type EventPlace = { block_number: number; log_index: number };

/** A page: newest first, and one more than the limit if there are more. */
export type Page<Row> = {
  rows: Row[];
  /** The last row that the page has examined, if there are more to examine. */
  last_scanned: EventPlace | null;
};

/** Openings that a page examines: few can have the requested status. */
const maxScanned = 1_000;

const beforePlace = (block: string, log: string) =>
  `(block_number, log_index) < (coalesce(${block}::bigint, 9223372036854775807), coalesce(${log}::integer, 0))`;

/** Conditions of a list of openings; null for all. Addresses are lower case. */
export type OpeningFilter = {
  creator: string | null;
  depositor: string | null;
  token: string | null;
  status: OpeningStatus | null;
};

/** SQL conditions of a filter. Without a filter, the statement does not contain the condition, so that it can use an index. */
const conditions = {
  creator: (value: string) => `creator = ${value}`,
  depositor: (value: string) =>
    `address in (select opening from chain.opening_accounts where account = ${value} and deposit > 0)`,
  token: (value: string) => `address in (select opening from chain.opening_ends where token = ${value})`,
};
const conditionNames = Object.keys(conditions) as (keyof typeof conditions)[];

/** Reads a page of openings. Blocked openings are only in the lists of a depositor, who must find them to claim. */
export async function readOpenings(
  db: Queryable,
  filter: OpeningFilter,
  { limit, after }: { limit: number; after: EventPlace | null },
): Promise<Page<OpeningRow>> {
  type Row = Partial<OpeningRow> & { scanned_block: number | null; scanned_log: number | null };
  const used = conditionNames.filter((name) => filter[name] !== null);
  const where = [beforePlace("$1", "$2"), ...used.map((name, index) => conditions[name](`$${index + 5}`))];
  const { rows } = await db.query<Row>({
    name: ["openings", ...used].join("-"),
    text: `
      with scanned as materialized (
        select * from chain.openings
        where ${where.join(" and ")}
        order by block_number desc, log_index desc limit ${maxScanned}
      ),
      page as (
        select ${columns} from scanned o ${joins}
        where ($3::text is null or ${status} = $3)${filter.depositor === null ? " and b.opening is null" : ""}
        order by o.block_number desc, o.log_index desc limit $4::integer
      )
      select page.*, last.block_number as scanned_block, last.log_index as scanned_log
      from (select) one
      left join (
        select block_number, log_index from scanned
        order by block_number desc, log_index desc offset ${maxScanned - 1} limit 1
      ) last on true
      left join page on true
      order by page.block_number desc, page.log_index desc`,
    values: [
      after?.block_number ?? null,
      after?.log_index ?? null,
      filter.status,
      limit + 1,
      ...used.map((name) => filter[name]),
    ],
  });
  const { scanned_block: block, scanned_log: log } = rows[0]!;
  return {
    rows: rows.filter((row): row is Row & OpeningRow => row.address !== null),
    last_scanned: block === null || log === null ? null : { block_number: block, log_index: log },
  };
}

/** Finds an opening; null if it is not indexed. @param address - Lower case. */
export async function findOpening(db: Queryable, address: string): Promise<OpeningRow | null> {
  const { rows } = await db.query<OpeningRow>({
    name: "opening",
    text: `select ${columns} from chain.openings o ${joins} where o.address = $1`,
    values: [address],
  });
  return rows[0] ?? null;
}

/** The sums of an account. Amounts in base units. */
export type OpeningAccountRow = {
  deposit: string;
  claims: number;
  tokens: string;
  refund: string;
};

/** A launch of the creator that can have the parameters of an opening. */
export type LaunchCandidate = { address: string; salt: string };

/** An opening, the sums of an account, and launches of the creator that can have the same parameters. */
export type OpeningDetailRow = OpeningRow & { account: OpeningAccountRow | null; candidates: LaunchCandidate[] };

/** Launches of a creator that are compared with an opening. */
const maxCandidates = 20;

/** SQL of launches of an opening's creator that can have the same parameters. Stored names are cleaned, so not compared. */
const candidates = `coalesce((
  select json_agg(json_build_object('address', t.address, 'salt', t.salt)) from (
    select t.address, t.salt from chain.tokens t
    where t.creator = o.creator and t.splitter = o.splitter and t.fee_bps = o.fee_bps and t.contract_uri = o.contract_uri
      and e.kind is null
    order by t.id limit ${maxCandidates}
  ) t), '[]')`;

/**
 * Finds an opening with the sums of an account, in one statement.
 *
 * @param account - Lower case; null for no account.
 */
export async function findOpeningDetail(
  db: Queryable,
  address: string,
  account: string | null,
): Promise<OpeningDetailRow | null> {
  const { rows } = await db.query<OpeningDetailRow>({
    name: "opening-detail",
    text: `
      select ${columns}, ${candidates} as candidates,
        case when $2::text is not null then json_build_object(
          'deposit', coalesce(a.deposit, 0)::text, 'claims', coalesce(a.claims, 0), 'tokens', coalesce(a.tokens, 0)::text,
          'refund', coalesce(a.refund, 0)::text
        ) end as account
      from chain.openings o ${joins}
      left join chain.opening_accounts a on a.opening = o.address and a.account = $2
      where o.address = $1`,
    values: [address, account],
  });
  return rows[0] ?? null;
}

export type DepositRow = EventPlace & {
  account: string;
  amount: string;
  total: string;
  block_time: number;
  tx_hash: string;
};

/**
 * Reads a page of the deposits of an opening; null if the opening is not indexed.
 *
 * @param account - Only deposits of this account, in lower case; null for all.
 */
export async function readDeposits(
  db: Queryable,
  { opening, account }: { opening: string; account: string | null },
  { limit, after }: { limit: number; after: EventPlace | null },
): Promise<DepositRow[] | null> {
  const { rows } = await db.query<DepositRow>({
    name: "opening-deposits",
    text: `
      select d.block_number, d.log_index, d.account, d.amount, d.total, d.block_time, d.tx_hash
      from chain.openings o
      left join lateral (
        select * from chain.opening_deposits
        where opening = o.address and ($2::text is null or account = $2) and ${beforePlace("$3", "$4")}
        order by block_number desc, log_index desc limit $5::integer
      ) d on true
      where o.address = $1
      order by d.block_number desc, d.log_index desc`,
    values: [opening, account, after?.block_number ?? null, after?.log_index ?? null, limit + 1],
  });
  if (rows.length === 0) return null;
  return rows.filter((row) => row.block_number !== null);
}
