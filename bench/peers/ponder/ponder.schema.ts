import { index, onchainTable, primaryKey } from "ponder";

export const token = onchainTable(
  "token",
  (t) => ({
    pool: t.hex().primaryKey(),
    address: t.hex().notNull(),
    weth0: t.boolean().notNull(),
    createdBlock: t.bigint().notNull(),
    createdAt: t.integer().notNull(),
    price: t.doublePrecision().notNull(),
    volume24h: t.doublePrecision().notNull(),
    volumeTotal: t.doublePrecision().notNull(),
    trades: t.integer().notNull(),
    /** JSON of [hour, volume] pairs of the last 24 hours. */
    hours: t.text().notNull(),
    lastHour: t.integer().notNull(),
  }),
  (t) => ({ byVolume: index().on(t.volume24h) }),
);

export const trade = onchainTable(
  "trade",
  (t) => ({
    id: t.text().primaryKey(),
    pool: t.hex().notNull(),
    trader: t.hex().notNull(),
    buy: t.boolean().notNull(),
    amountWeth: t.bigint().notNull(),
    amountToken: t.bigint().notNull(),
    price: t.doublePrecision().notNull(),
    block: t.integer().notNull(),
    ts: t.integer().notNull(),
    tx: t.hex().notNull(),
    logIndex: t.integer().notNull(),
  }),
  (t) => ({ byPool: index().on(t.pool, t.block), byBlock: index().on(t.block) }),
);

export const candle = onchainTable(
  "candle",
  (t) => ({
    pool: t.hex().notNull(),
    interval: t.integer().notNull(),
    bucket: t.integer().notNull(),
    open: t.doublePrecision().notNull(),
    high: t.doublePrecision().notNull(),
    low: t.doublePrecision().notNull(),
    close: t.doublePrecision().notNull(),
    volume: t.doublePrecision().notNull(),
    count: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.pool, t.interval, t.bucket] }) }),
);
