import type { TokenRef } from "../indexState.ts";

/** Rows that a batch adds or merges, named as the columns of db/migrations/0001_chain.sql. Amounts are bigint. */
export type TokenRow = {
  id: number;
  address: string;
  pool: string;
  deployment_id: number;
  is_token0: boolean;
  name: string;
  symbol: string;
  contract_uri: string;
  description: string | null;
  image: string | null;
  website: string | null;
  creator: string;
  splitter: string;
  partner: string | null;
  partner_share_bps: number;
  fee_bps: number;
  protocol_fee_bps: number;
  salt: string;
  quote_token: string;
  tick_start: number;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: bigint;
  start_price: number;
  start_eth_usd: number | null;
  initial_buy_in: bigint | null;
  initial_buy_out: bigint | null;
  initial_buy_recipient: string | null;
  block_number: number;
  block_time: number;
  log_index: number;
  tx_hash: string;
  search_text: string;
};

export type TradeRow = {
  token: TokenRef;
  block_number: number;
  log_index: number;
  block_time: number;
  pool_price: number;
  eth_usd: number | null;
  maker: string;
  recipient: string;
  is_buy: boolean;
  tx_hash: string;
  token_amount: bigint;
  quote_amount: bigint;
};

/** A candle as far as this batch knows it: merged into the stored bucket when there is one. */
export type CandleRow = {
  token: TokenRef;
  seconds: number;
  t: number;
  o: number;
  h: number;
  l: number;
  c: number;
  o_usd: number | null;
  h_usd: number | null;
  l_usd: number | null;
  c_usd: number | null;
  n: number;
  buys: number;
  vq: bigint;
  v: bigint | null;
  /** An earlier batch has stored a part of this bucket. */
  continues: boolean;
};

/** What changed of a token; null in `oldest_minute` leaves its 24 h window as it is, 0 marks it as due. */
export type TokenStateRow = {
  token_id: number;
  sqrt_price_x96: bigint;
  tick: number;
  liquidity: bigint;
  pool_protocol_fee: number;
  price: number;
  total_supply: bigint;
  burned: bigint;
  trades: number;
  buys: number;
  volume_quote: bigint;
  volume_usd: bigint | null;
  last_trade_time: number | null;
  market_cap: number;
  price_24h_ago: number;
  oldest_minute: number | null;
  changed_block: number;
  changed_time: number;
};

/** By how much an account's balance of a token changed; `counts` when it is a holder with it. */
export type BalanceChange = { token_id: number; account: string; delta: bigint; counts: boolean };

/** When an account last traded a token; token_id 0: any token. */
export type TraderRow = { token_id: number; account: string; last_time: number };

/** Sums over all tokens of one minute, or of all time (seconds 0, t 0). */
export type TotalsRow = {
  seconds: number;
  t: number;
  launches: number;
  trades: number;
  volume_quote: bigint;
  volume_usd: bigint | null;
  fees_usd: bigint | null;
  fees_protocol_usd: bigint | null;
  fees_collaborators_usd: bigint | null;
};

export type FeeEventRow = {
  block_number: number;
  log_index: number;
  part: number;
  token_id: number;
  kind: "collected" | "settled";
  asset: string;
  amount: bigint;
  collaborators_amount: bigint | null;
  protocol_amount: bigint | null;
  partner_amount: bigint | null;
  block_time: number;
  tx_hash: string;
};

export type SplitterEventRow = {
  block_number: number;
  log_index: number;
  splitter: string;
  kind: "released" | "native_received";
  asset: string;
  account: string;
  amount: bigint;
  block_time: number;
  tx_hash: string;
};

export type TreasuryChangeRow = {
  block_number: number;
  log_index: number;
  fee_locker: string;
  previous: string;
  treasury: string;
  block_time: number;
};

export type TopupRow = {
  block_number: number;
  log_index: number;
  quote_id: string;
  wallet: string;
  token: string;
  token_amount: bigint;
  native_amount: bigint;
  block_time: number;
  tx_hash: string;
};

export type EthUsdRow = {
  block_number: number;
  log_index: number;
  block_time: number;
  price: number;
  sqrt_price_x96: bigint;
  tick: number;
  liquidity: bigint;
};

export type SplitterRow = {
  address: string;
  proven: boolean | null;
  reason: string | null;
  birth_tx: string | null;
  birth_block: number | null;
  block_number: number;
};

export type PayeeRow = { splitter: string; position: number; payee: string; share_bps: number; block_number: number };
