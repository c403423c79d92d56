import type { ListedToken, TokenListVersion } from "@slipway/protocol/tokenList";
import type { Client, Queryable } from "../../db/database.ts";

/** A launch that may be listed; `sha256` is the hash of its processed picture. */
export type ListableToken = { address: string; name: string; symbol: string; decimals: number; sha256: string | null };

/** SQL of the ids of unblocked launches up to the time $1, with the largest market caps; $2 limits their number. */
const largest = `
  select s.token_id as id from chain.token_state s
  where exists (select from chain.tokens t where t.id = s.token_id and t.block_time <= $1)
    and s.token_id <> all (array(
      select t.id from app.blocked_tokens b join chain.tokens t on t.address = b.token where b.blocked_at is not null
    ))
  order by s.market_cap desc, s.token_id desc limit $2`;

/** SQL of the ids of unblocked launches up to the time $1, with the lower-case addresses $3. */
const named = `
  select t.id from chain.tokens t
  where t.address = any($3::text[]) and t.block_time <= $1 and not exists (
    select from app.blocked_tokens b where b.token = t.address and b.blocked_at is not null
  ) limit $2`;

/**
 * Lists launches for a token list, the oldest first.
 *
 * @param options.until - Lists launches up to this time in Unix seconds.
 * @param options.among - Lists only these lower-case addresses; null lists the launches with the largest market caps.
 */
export async function listListableTokens(
  db: Queryable,
  { until, limit, among }: { until: number; limit: number; among: readonly string[] | null },
): Promise<ListableToken[]> {
  const { rows } = await db.query<ListableToken>(
    `select t.address, t.name, t.symbol, t.decimals,
       case when g.shown then encode(g.sha256, 'hex') end as sha256
     from (${among === null ? largest : named}) c
     cross join lateral (select * from chain.tokens where id = c.id limit 1) t
     left join lateral (select sha256, shown from app.gallery where token = t.address limit 1) g on true
     order by t.id`,
    among === null ? [until, limit] : [until, limit, among],
  );
  return rows;
}

/** A stored list. */
export type StoredTokenList = TokenListVersion & {
  chain_id: number;
  listed_at: Date;
  /** Time when the tokens of a full list were chosen. */
  chosen_at: Date;
  tokens: ListedToken[];
};

const columns = "chain_id, major, minor, patch, listed_at, chosen_at";

/** Reads the list that the job last stored; null before the first list. */
export async function readTokenList(db: Queryable): Promise<StoredTokenList | null> {
  const { rows } = await db.query<StoredTokenList>(`select ${columns}, tokens from app.token_list`);
  return rows[0] ?? null;
}

/** Reads the chain, version and times of the stored list, without its tokens. */
export async function readTokenListVersion(db: Queryable): Promise<Omit<StoredTokenList, "tokens"> | null> {
  const { rows } = await db.query<StoredTokenList>({
    name: "token-list-version",
    text: `select ${columns} from app.token_list`,
  });
  return rows[0] ?? null;
}

/** Replaces the stored version of the list. */
export async function storeTokenList(client: Client, list: Omit<StoredTokenList, "listed_at">): Promise<void> {
  await client.query(
    `insert into app.token_list (chain_id, major, minor, patch, chosen_at, tokens) values ($1, $2, $3, $4, $5, $6)
     on conflict (only_row) do update set chain_id = excluded.chain_id, major = excluded.major, minor = excluded.minor,
       patch = excluded.patch, listed_at = now(), chosen_at = excluded.chosen_at, tokens = excluded.tokens`,
    [list.chain_id, list.major, list.minor, list.patch, list.chosen_at, JSON.stringify(list.tokens)],
  );
}
