import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type pg from "pg";
import { copyRows } from "./seedCopy.ts";
import {
  hex,
  ids,
  micros,
  type SeedOptions,
  type Sum,
  secondsPerEthUsd,
  seededAddress,
  startEthUsd,
  startPrice,
  supply,
  type Token,
  tickLower,
  wei,
} from "./seedModel.ts";

const weth = `0x${"77".repeat(20)}`;
const locker = `0x${"22".repeat(20)}`;

/** Writes the rows with the state of the index. */
export async function insertFrame(pool: pg.Pool, options: SeedOptions, begin: number): Promise<void> {
  const head = options.tokens + options.trades;
  await pool.query(
    `insert into chain.deployments (id, launch_factory, fee_locker, deployment_block, legacy) values (1, $1, $2, 1, false)`,
    [`0x${"11".repeat(20)}`, locker],
  );
  await pool.query(
    `insert into chain.checkpoint (chain_id, sources, from_block, block_number, block_hash, block_time, rules)
     values (46630, 'seeded', 1, $1, 'seeded', $2, 7)`,
    [head, options.headTime],
  );
  await pool.query("insert into chain.status (state, head_block, head_time) values ('live', $1, $2)", [
    head,
    options.headTime,
  ]);
  await pool.query("insert into chain.outbox (block_number, kind, payload) values ($1, 'batch', $2)", [
    head,
    JSON.stringify({ from_block: 1, to_block: head, begin }),
  ]);
}

const words = [
  "amber",
  "boat",
  "cedar",
  "delta",
  "ember",
  "fjord",
  "gull",
  "harbor",
  "iron",
  "jetty",
  "keel",
  "lantern",
];

/** Writes launches and their splitters. */
export async function insertTokens(pool: pg.Pool, options: SeedOptions, begin: number): Promise<void> {
  const columns = [
    ...["id", "address", "pool", "deployment_id", "is_token0", "name", "symbol", "contract_uri", "creator", "splitter"],
    ...["partner_share_bps", "fee_bps", "protocol_fee_bps", "salt", "quote_token", "tick_start", "tick_lower"],
    ...["tick_upper", "locked_liquidity", "start_price", "start_eth_usd", "block_number", "block_time", "log_index"],
    ...["tx_hash", "search_text", "partner"],
  ];
  const tokenRow = (id: number) => {
    const name = `${words[id % 12]} ${words[Math.floor(id / 12) % 12]} ${id}`;
    const symbol = `${words[id % 12]!.slice(0, 3).toUpperCase()}${id}`;
    const address = seededAddress(id);
    return [
      ...[
        id,
        address,
        `0x71${hex(id, 19)}`,
        1,
        true,
        name,
        symbol,
        "",
        `0x72${hex(id % 997, 19)}`,
        `0x73${hex(id, 19)}`,
      ],
      ...[0, 100, 10, `0x${hex(id, 32)}`, weth, tickLower, tickLower, 887200, 10n ** 22n, startPrice, startEthUsd],
      ...[id, begin, 3, `0x${hex(id, 32)}`, `${name}\\n${symbol}\\n${address}`.toLowerCase()],
      id % 10 === 0 ? `0x75${hex(id % 97, 19)}` : "\\N",
    ];
  };
  await copyRows(pool, "chain.tokens", columns, ids(options.tokens, tokenRow));
  await copyRows(
    pool,
    "chain.splitters",
    ["address", "proven", "block_number"],
    ids(options.tokens, (id) => [`0x73${hex(id, 19)}`, true, id]),
  );
  await copyRows(
    pool,
    "chain.splitter_payees",
    ["splitter", "position", "payee", "share_bps", "block_number"],
    ids(options.tokens, (id) => [`0x73${hex(id, 19)}`, 0, `0x74${hex(id, 19)}`, 10_000, id]),
  );
  // A settlement and a release of each asset; triggers sum them.
  for (const [logIndex, toAsset] of [seededAddress, () => weth].entries()) {
    const splitter = (id: number) => `0x73${hex(id, 19)}`;
    await copyRows(
      pool,
      "chain.splitter_receipts",
      ["block_number", "log_index", "splitter", "asset", "amount"],
      ids(options.tokens, (id) => [id, logIndex, splitter(id), toAsset(id), 10n ** 18n]),
    );
    await copyRows(
      pool,
      "chain.splitter_events",
      [...["block_number", "log_index", "splitter", "kind", "asset", "account", "amount", "block_time", "tx_hash"]],
      ids(options.tokens, (id) => [
        ...[id, logIndex + 2, splitter(id), "released", toAsset(id), `0x74${hex(id, 19)}`, 10n ** 17n, begin],
        `0x${hex(id, 32)}`,
      ]),
    );
  }
}

/** The totals of the trades. */
export type Sums = {
  tokens: readonly Token[];
  minutes: ReadonlyMap<number, Sum>;
  lastSeen: Float64Array;
  ethUsd: readonly number[];
  begin: number;
  window: number;
};

/** Writes the data that are derived from trades, besides trades and candles. */
export async function insertSums(pool: pg.Pool, options: SeedOptions, sums: Sums): Promise<void> {
  const { tokens, begin, window } = sums;
  function* states() {
    for (const [index, token] of tokens.entries()) {
      const { day } = token;
      const tick = Math.floor(Math.log(token.price) / Math.log(1.0001));
      const change = (token.price / day.priceBefore - 1) * 100;
      const traders = [...token.traders.values()].filter((time) => time >= window + 60).length;
      yield [
        ...[
          index + 1,
          sqrtPriceX96AtTick(tick),
          tick,
          10n ** 22n,
          token.price,
          supply,
          token.traders.size,
          token.trades,
        ],
        ...[token.buys, wei(token.volume), micros(token.volumeUsd), token.lastTime || null, token.price * 1e9],
        ...[wei(day.volume), micros(day.volumeUsd), day.trades, day.buys, traders, day.priceBefore, change, day.oldest],
        ...[token.lastBlock || index + 1, token.lastTime || begin, token.price * 4e8],
      ];
    }
  }
  await copyRows(
    pool,
    "chain.token_state",
    [
      ...["token_id", "sqrt_price_x96", "tick", "liquidity", "price", "total_supply", "holders", "trades", "buys"],
      ...["volume_quote", "volume_usd", "last_trade_time", "market_cap", "volume_24h_quote", "volume_24h_usd"],
      ...["trades_24h", "buys_24h", "traders_24h", "price_24h_ago", "change_24h_pct", "oldest_minute", "changed_block"],
      ...["changed_time", "liquidity_quote"],
    ],
    states(),
  );
  function* traders() {
    const basis = [10n ** 21n, 10n ** 18n, 3_000_000n, -(10n ** 16n), -30_000_000n];
    for (const [index, token] of tokens.entries()) {
      for (const [id, time] of token.traders) yield [index + 1, id, time, ...basis];
    }
    for (const [id, time] of sums.lastSeen.entries()) {
      if (time > 0) yield [0, id, time, "\\N", "\\N", "\\N", ...basis.slice(3)];
    }
  }
  await copyRows(
    pool,
    "chain.traders",
    [...["token_id", "account_id", "last_time", "held", "cost_quote", "cost_usd", "realized_quote", "realized_usd"]],
    traders(),
  );
  function* balances() {
    for (const [index, token] of tokens.entries()) {
      for (const id of token.traders.keys()) yield [index + 1, id, (supply / 1_000n) * BigInt(1 + (id % 5))];
    }
  }
  await copyRows(pool, "chain.balances", ["token_id", "account_id", "balance"], balances());
  const total = { trades: 0, vq: 0, v: 0 };
  for (const sum of sums.minutes.values()) {
    total.trades += sum.trades;
    total.vq += sum.vq;
    total.v += sum.v;
  }
  const row = (seconds: number, t: number, firstBlock: number | string, launches: number, sum: typeof total) => [
    ...[
      seconds,
      t,
      firstBlock,
      launches,
      sum.trades,
      wei(sum.vq),
      micros(sum.v),
      micros(sum.v / 100),
      micros(sum.v / 1000),
      micros(sum.v * 0.009),
    ],
  ];
  const days = new Map<number, typeof total>();
  for (const [t, sum] of sums.minutes) {
    const start = t - (t % 86_400);
    const day = days.get(start) ?? { trades: 0, vq: 0, v: 0 };
    days.set(start, { trades: day.trades + sum.trades, vq: day.vq + sum.vq, v: day.v + sum.v });
  }
  function* totals() {
    yield row(0, 0, "\\N", options.tokens, total);
    for (const [t, sum] of sums.minutes) yield row(60, t, sum.firstBlock, 0, sum);
    for (const [t, sum] of days) yield row(86_400, t, "\\N", 0, sum);
  }
  await copyRows(
    pool,
    "chain.totals",
    [
      "seconds",
      "t",
      "first_block",
      "launches",
      "trades",
      "volume_quote",
      "volume_usd",
      "fees_usd",
      "fees_protocol_usd",
      "fees_collaborators_usd",
    ],
    totals(),
  );
  /** The busiest tokens have new holders in each minute of a week, the longest window. */
  function* holderMinutes() {
    const busiest = Math.min(20, options.tokens);
    for (let id = 1; id <= busiest; id++) {
      for (let n = 0; n < 10_080; n++) yield [id, options.headTime - (options.headTime % 60) - n * 60, 1, n % 2];
    }
  }
  await copyRows(pool, "chain.holder_minutes", ["token_id", "t", "came", "gone"], holderMinutes());
  function* observations() {
    for (const [index, price] of sums.ethUsd.entries()) {
      const root = BigInt(Math.round(Math.sqrt(price * 1e-12) * 2 ** 96));
      yield [index + 1, 0, begin + index * secondsPerEthUsd, price, root, 0, 10n ** 19n];
    }
  }
  await copyRows(
    pool,
    "chain.eth_usd",
    ["block_number", "log_index", "block_time", "price", "sqrt_price_x96", "tick", "liquidity"],
    observations(),
  );
}
