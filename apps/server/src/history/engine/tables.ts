import type { Table } from "./table.ts";

/** Sources of an account by their code in the engine; 0: none is stored. */
export const accountSources = [null, "transfers", "user_operation", "sender"] as const;

/** An amount that stands for an unknown value: 2^256 - 1. */
export const unknownAmount = (2n ** 256n - 1n).toString();

/** Trades as in chain.trades. Account 0: none is stored. */
export const tradesTable: Table = {
  name: "trades",
  columns: [
    { name: "token_id", type: "UInt32", codec: "ZSTD(1)" },
    { name: "block_number", type: "UInt64", codec: "Delta, ZSTD(1)" },
    { name: "log_index", type: "UInt32", codec: "T64, ZSTD(1)" },
    { name: "block_time", type: "UInt32", codec: "Delta, ZSTD(1)" },
    { name: "pool_price", type: "Float64", codec: "Gorilla, ZSTD(1)" },
    { name: "eth_usd", type: "Float64", codec: "Gorilla, ZSTD(1)" },
    { name: "maker_id", type: "UInt32", codec: "ZSTD(1)" },
    { name: "recipient_id", type: "UInt32", codec: "ZSTD(1)" },
    { name: "account_id", type: "UInt32", codec: "ZSTD(1)" },
    { name: "account_source", type: "UInt8", codec: "ZSTD(1)" },
    { name: "is_buy", type: "UInt8", codec: "T64, ZSTD(1)" },
    { name: "tx_hash", type: "hash", codec: "NONE" },
    { name: "token_amount", type: "amount", codec: "ZSTD(3)" },
    { name: "quote_amount", type: "amount", codec: "ZSTD(3)" },
    { name: "version", type: "UInt32", codec: "ZSTD(1)" },
  ],
  key: ["token_id", "block_number", "log_index"],
  partition: "block_time",
};

/** Candles as in chain.candles. */
export const candlesTable: Table = {
  name: "candles",
  columns: [
    { name: "token_id", type: "UInt32", codec: "ZSTD(1)" },
    { name: "seconds", type: "UInt32", codec: "ZSTD(1)" },
    { name: "t", type: "UInt32", codec: "Delta, ZSTD(1)" },
    ...["o", "h", "l", "c", "o_usd", "h_usd", "l_usd", "c_usd"].map(
      (name) => ({ name, type: "Float64", codec: "Gorilla, ZSTD(1)" }) as const,
    ),
    { name: "n", type: "UInt32", codec: "T64, ZSTD(1)" },
    { name: "buys", type: "UInt32", codec: "T64, ZSTD(1)" },
    { name: "vq", type: "amount", codec: "ZSTD(3)" },
    { name: "v", type: "amount", codec: "ZSTD(3)" },
    { name: "version", type: "UInt32", codec: "ZSTD(1)" },
  ],
  key: ["token_id", "seconds", "t"],
  partition: "t",
};
