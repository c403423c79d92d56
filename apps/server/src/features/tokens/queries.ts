import type { Queryable } from "../../db/database.ts";
import type { History } from "../../history/history.ts";
import { latestTrades } from "../../history/latestTradeQueries.ts";
import { type OldRows, selectOldRows } from "../../history/oldRowQueries.ts";
import type { TradeRow } from "../../pricing/toIndexedTrade.ts";
import { type PreparedDraft, preparedDraft } from "../../transactions/queries.ts";
import { selectResembled } from "../../transactions/resemblanceQueries.ts";
import { type FactSummaryRow, factSummaryColumns } from "./facts/factQueries.ts";
import { selectTop10 } from "./topHolders.ts";

/** A token with its state, as in the list. Numeric columns are decimal text. */
export type TokenRow = FactSummaryRow & {
  address: string;
  name: string;
  symbol: string;
  decimals: number;
  /** The picture's URI from the launch or its document; null where the picture or the token is blocked. */
  image: string | null;
  /** The processed picture that may be shown; the image columns are null without one. */
  image_sha256: string | null;
  image_width: number;
  image_height: number;
  image_animated: boolean;
  image_blurhash: string;
  image_dominant_color: string;
  /** State of the off-chain document with image, description and website; null when the launch contains them. */
  manifest: "fetched" | "missing" | null;
  /** Why the off-chain document is missing; null before the first attempt. */
  manifest_error: string | null;
  /** Whether an administrator blocked the token. */
  blocked: boolean;
  /** The earlier token with a confusable name; null when none exists, or the name was not compared yet. */
  resembles: string | null;
  /** The earlier token with a similar picture; null when none exists, or the picture is not shown or not compared yet. */
  image_resembles: string | null;
  pool: string;
  quote_token: string;
  fee_bps: number;
  protocol_fee_bps: number;
  creator: string;
  block_number: number;
  block_time: number;
  tx_hash: string;
  legacy: boolean;
  splitter_proven: boolean | null;
  is_token0: boolean;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: string;
  sqrt_price_x96: string;
  pool_protocol_fee: number;
  price: number;
  market_cap: number;
  volume_24h_usd: string | null;
  change_24h_pct: number;
  trades_24h: number;
  buys_24h: number;
  traders_24h: number;
  holders: number;
  changed_block: number;
  changed_time: number;
};

/** SQL of the earlier launch with a similar picture, for the shown picture `g` of `chain.tokens t`. */
const selectSimilarImage = `(
  select k.resembles from app.token_image_hashes k
  where k.token = t.address and k.sha256 = g.sha256 and g.shown
    and exists (select from chain.tokens e where e.address = k.resembles) limit 1)`;

/** SQL of the columns of `TokenRow`. */
export const tokenColumns = `
  t.address, t.name, t.symbol, t.decimals,
  case when b.token is null and (g.sha256 is null or g.shown) then coalesce(t.image, m.image) end as image,
  encode(i.sha256, 'hex') as image_sha256, i.width as image_width, i.height as image_height,
  i.animated as image_animated, i.blurhash as image_blurhash, i.dominant_color as image_dominant_color,
  b.token is not null as blocked, m.manifest, m.manifest_error,
  ${selectResembled("t.address")} as resembles, ${selectSimilarImage} as image_resembles, t.pool, t.quote_token, t.fee_bps, t.protocol_fee_bps, t.creator, t.block_number, t.block_time, t.tx_hash,
  d.legacy, p.proven as splitter_proven, t.is_token0, t.tick_lower, t.tick_upper, t.locked_liquidity,
  s.sqrt_price_x96, s.pool_protocol_fee, s.price, s.total_supply, s.market_cap, s.volume_24h_usd, s.change_24h_pct,
  s.trades_24h, s.buys_24h, s.traders_24h, s.holders, s.changed_block, s.changed_time, ${factSummaryColumns}`;

/**
 * SQL of the joins for `tokenColumns` of the token `t`. `limit 1` on a primary key only changes the plan: a lookup for
 * each row, never a hash of the whole table.
 */
export const tokenJoins = `
  cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s
  join chain.deployments d on d.id = t.deployment_id
  left join lateral (select proven from chain.splitters where address = t.splitter limit 1) p on true
  left join lateral (
    select description, image, website, error as manifest_error,
      case when sha256 is null then 'missing' else 'fetched' end as manifest
    from app.token_manifests where token = t.address limit 1
  ) m on true
  left join lateral (
    select k.token from app.blocked_tokens k where k.token = t.address and k.blocked_at is not null limit 1
  ) b on true
  left join lateral (select sha256, shown from app.gallery where token = t.address limit 1) g on true
  left join lateral (select * from app.images where sha256 = g.sha256 and g.shown limit 1) i on true`;

/** Sums over the minute candles of a window. `price_before`: at the window's start; null when the token is younger. */
type WindowRow = { v: string | null; n: number; buys: number; price_before: number | null };

export type DetailRow = TokenRow & {
  description: string | null;
  website: string | null;
  /** The URI of the launch's document. */
  contract_uri: string;
  splitter: string;
  fee_locker: string;
  start_price: number;
  tick: number;
  liquidity: string;
  price_24h_ago: number;
  m5: WindowRow;
  h1: WindowRow;
  h6: WindowRow;
  trades: TradeRow[];
  recipients: { wallet: string; share_bps: number }[];
  /** The draft that the launch was prepared from; null when it was not prepared by this service. */
  prepared: PreparedDraft | null;
  /** Whether a verifier compared the sources with the token's code; null without a result. */
  source_verified: boolean | null;
  /** Base units in the ten largest balances, without pool, locker and burn addresses. */
  top10: string;
};

/** SQL of a window of minute candles: it ends with the head's minute and begins after the minute `seconds` earlier. */
const window = (seconds: number) => {
  const start = `c.block_time - c.block_time % 60 - ${seconds}`;
  return `(
    select json_build_object(
      'v', case when bool_or(k.v is null) then null else coalesce(sum(k.v), 0)::text end,
      'n', coalesce(sum(k.n), 0), 'buys', coalesce(sum(k.buys), 0),
      'price_before', (select b.c from chain.token_candles(t.id, 60, 0, ${start} + 1, 1) b))
    from chain.candles k where k.token_id = t.id and k.seconds = 60 and k.t > ${start}
  )`;
};

/**
 * Finds a token with all its details in one statement, and so in one snapshot; null when the token is not indexed. Old
 * trades, which do not change any more, can follow from the history engine.
 */
export async function findToken(
  db: Queryable,
  history: Pick<History, "complete">,
  { address, trades }: { address: string; trades: number },
): Promise<DetailRow | null> {
  const { rows } = await db.query<DetailRow & { old: OldRows | null }>({
    name: "token-detail",
    text: `
      select ${tokenColumns}, coalesce(t.description, m.description) as description,
        coalesce(t.website, m.website) as website, t.contract_uri, t.splitter, d.fee_locker, t.start_price, s.tick,
        s.liquidity, s.price_24h_ago, ${window(300)} as m5, ${window(3600)} as h1, ${window(21600)} as h6,
        ${selectOldRows} as old,
        array_to_json(array(
          select json_build_object('tx_hash', r.tx_hash, 'log_index', r.log_index, 'block_number', r.block_number,
            'block_time', r.block_time, 'is_buy', r.is_buy, 'maker', r.maker, 'recipient', r.recipient,
            'account', r.account, 'account_source', r.account_source,
            'token_amount', r.token_amount::text, 'quote_amount', r.quote_amount::text, 'eth_usd', r.eth_usd)
          from (${latestTrades}) r order by r.block_number desc, r.log_index desc
        )) as trades,
        array_to_json(array(
          select json_build_object('wallet', payee, 'share_bps', share_bps)
          from chain.splitter_payees where splitter = t.splitter order by position
        )) as recipients,
        ${preparedDraft} as prepared,
        (select v.is_verified from app.source_verifications v where v.address = t.address) as source_verified,
        ${selectTop10} as top10
      from chain.tokens t ${tokenJoins}
      cross join chain.checkpoint c
      where t.address = $1`,
    values: [address, trades],
  });
  const row = rows[0];
  return row === undefined ? null : { ...row, trades: await history.complete(db, row, trades) };
}

/** Finds the token of a pool, both lower case; null when no indexed launch has this pool. */
export async function findTokenOfPool(db: Queryable, pool: string): Promise<string | null> {
  const { rows } = await db.query<{ address: string }>({
    name: "token-of-pool",
    text: "select address from chain.tokens where pool = $1",
    values: [pool],
  });
  return rows[0]?.address ?? null;
}

/** Finds the URI of a token's ERC-7572 document in its launch; null when the token is not indexed. */
export async function findContractUri(
  db: Queryable,
  address: string,
): Promise<{ uri: string; blocked: boolean } | null> {
  const { rows } = await db.query<{ uri: string; blocked: boolean }>({
    name: "token-contract-uri",
    text: `
      select t.contract_uri as uri, exists (
        select from app.blocked_tokens b where b.token = t.address and b.blocked_at is not null
      ) as blocked
      from chain.tokens t where t.address = $1`,
    values: [address],
  });
  return rows[0] ?? null;
}
