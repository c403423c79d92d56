import type { ClickHouse } from "../../providers/clickHouse/createClickHouse.ts";
import { name, type Sql, sql } from "../../providers/clickHouse/sql.ts";
import {
  type Column,
  type Digest,
  decodeRows,
  type EngineRow,
  encodeRows,
  getDigestColumns,
  type Table,
} from "./table.ts";
import { candlesTable, tradesTable } from "./tables.ts";

/** The engine's tables of one generation of the index. */
export type Engine = { clickHouse: ClickHouse; generation: string };

/** A range of final data: trades of blocks after `afterBlock`, and candles that end after `afterTime`. */
export type Range = {
  afterBlock: number;
  toBlock: number;
  /** Block times of the first and last trade; null without trades. */
  times: { first: number; last: number } | null;
  afterTime: number;
  toTime: number;
};

/** Partitions of 30 days bound the number of files of a query. */
const partitionSeconds = 2_592_000;

/** Few rows per index entry: a page has 300. */
const indexGranularity = 1_024;

/** The time of a statement that reads or changes a whole range. */
const longMs = 120_000;

/** Returns the name of a table; with a cluster, it is distributed over the tables `..._local`. */
export function getTableName({ generation }: Pick<Engine, "generation">, table: Pick<Table, "name">): string {
  return `${table.name}_${generation}`;
}

function toTable({ clickHouse, generation }: Engine, table: Table): Sql {
  return sql`${name(clickHouse.database)}.${name(getTableName({ generation }, table))}`;
}

function toLocalTable(engine: Engine, table: Table): Sql {
  const suffix = engine.clickHouse.cluster === null ? "" : "_local";
  return sql`${name(engine.clickHouse.database)}.${name(`${getTableName(engine, table)}${suffix}`)}`;
}

const types: Record<string, Sql> = { hash: sql`FixedString(32)`, amount: sql`FixedString(32)` };
const empty = sql``;

/** Whether the server has the tables of a generation. */
async function hasTables(engine: Engine): Promise<boolean> {
  const { cluster, database } = engine.clickHouse;
  const names = [tradesTable, candlesTable].flatMap((table) => {
    const distributed = getTableName(engine, table);
    return cluster === null ? [distributed] : [distributed, `${distributed}_local`];
  });
  const listed = names.map((table) => sql`'${name(table)}'`);
  const bytes = await engine.clickHouse.query(
    sql`select toUInt32(count()) from system.tables where database = '${name(database)}' and name in (${listed})`,
  );
  return bytes.length === 4 && bytes.readUInt32LE() === names.length;
}

/**
 * Creates the tables of a generation, on every node of the cluster. Does nothing if they exist: a statement for the
 * cluster waits for nodes that are down, which run it when they are back.
 */
export async function createTables(engine: Engine): Promise<void> {
  const { clickHouse } = engine;
  if (await hasTables(engine)) return;
  const { cluster } = clickHouse;
  const onCluster = cluster === null ? empty : sql` on cluster ${name(cluster)}`;
  const options = { timeoutMs: longMs };
  await clickHouse.query(sql`create database if not exists ${name(clickHouse.database)}${onCluster}`, options);
  const isModern = await clickHouse.isModern();
  for (const table of [tradesTable, candlesTable]) {
    const columns = table.columns.map((column) => toDefinition(column, isModern));
    await clickHouse.query(
      sql`create table if not exists ${toLocalTable(engine, table)}${onCluster} (${columns})
        engine = ${toStorage(engine, table)}
        partition by intDiv(${name(table.partition)}, ${partitionSeconds}) order by (${table.key.map(name)})
        settings index_granularity = ${indexGranularity}`,
      options,
    );
    if (cluster === null) continue;
    const local = name(`${getTableName(engine, table)}_local`);
    await clickHouse.query(
      sql`create table if not exists ${toTable(engine, table)}${onCluster} (${columns})
        engine = Distributed(${name(cluster)}, ${name(clickHouse.database)}, ${local}, token_id)`,
      options,
    );
  }
}

function toDefinition({ name: column, type, codec }: Column, isModern: boolean): Sql {
  const list = codec.split(", ").map((entry) => codecs[entry]!);
  return sql`${name(column)} ${types[type] ?? name(type)}${isModern ? sql` codec(${list})` : empty}`;
}

const codecs: Record<string, Sql> = {
  NONE: sql`NONE`,
  Delta: sql`Delta`,
  T64: sql`T64`,
  Gorilla: sql`Gorilla`,
  "ZSTD(1)": sql`ZSTD(1)`,
  "ZSTD(3)": sql`ZSTD(3)`,
};

/** The engine keeps the row with the highest version of each key. The nodes' macros name shard and replica. */
function toStorage(engine: Engine, table: Table): Sql {
  if (engine.clickHouse.cluster === null) return sql`ReplacingMergeTree(version)`;
  const path = sql`/clickhouse/tables/{shard}/${name(engine.clickHouse.database)}/${name(getTableName(engine, table))}`;
  return sql`ReplicatedReplacingMergeTree('${path}', '{replica}', version)`;
}

/** Inserts rows; a row with an existing key replaces it if its version is higher. */
export async function insertRows(
  engine: Engine,
  table: Table,
  rows: readonly EngineRow[],
  signal?: AbortSignal,
): Promise<void> {
  const bytes = encodeRows(table, rows);
  await engine.clickHouse.insert(getTableName(engine, table), bytes, { ...(signal && { signal }) });
}

/** A position on the chain: a page contains trades before it. */
export type Position = { block: number; logIndex: number };

/** Lists the trades of a token before a position, newest first. A trade can occur twice, see `removeCopies`. */
export async function listTrades(
  engine: Engine,
  query: {
    tokenId: number;
    before: Position;
    isBuy: boolean | null;
    makerId: number | null;
    accountId: number | null;
    limit: number;
  },
): Promise<EngineRow[]> {
  const { before } = query;
  const side = query.isBuy === null ? empty : sql` and is_buy = ${query.isBuy ? 1 : 0}`;
  const maker = query.makerId === null ? empty : sql` and maker_id = ${query.makerId}`;
  const account = query.accountId === null ? empty : sql` and account_id = ${query.accountId}`;
  const bytes = await engine.clickHouse.query(
    sql`select ${tradesTable.columns.map((column) => name(column.name))} from ${toTable(engine, tradesTable)}
      where token_id = ${query.tokenId} and block_number <= ${before.block}
        and (block_number < ${before.block} or log_index < ${before.logIndex})${side}${maker}${account}
      order by block_number desc, log_index desc, version desc limit ${query.limit}`,
  );
  return decodeRows(tradesTable, bytes);
}

/** Lists the candles of a token that start before a time, newest first. A candle can occur twice, see `removeCopies`. */
export async function listCandles(
  engine: Engine,
  query: { tokenId: number; seconds: number; before: number; limit: number },
): Promise<EngineRow[]> {
  const bytes = await engine.clickHouse.query(
    sql`select ${candlesTable.columns.map((column) => name(column.name))} from ${toTable(engine, candlesTable)}
      where token_id = ${query.tokenId} and seconds = ${query.seconds} and t < ${query.before}
      order by t desc, version desc limit ${query.limit}`,
  );
  return decodeRows(candlesTable, bytes);
}

/** Finds the block of a trade of a token; null if the token has no such trade. */
export async function findTradeBlock(
  engine: Engine,
  trade: { tokenId: number; hash: string; logIndex: number },
): Promise<number | null> {
  const bytes = await engine.clickHouse.query(
    sql`select block_number from ${toTable(engine, tradesTable)}
      where token_id = ${trade.tokenId} and tx_hash = ${trade.hash} and log_index = ${trade.logIndex} limit 1`,
  );
  return bytes.length === 8 ? Number(bytes.readBigUInt64LE()) : null;
}

/** SQL of the condition that a row is in a range. The second half lets the engine skip partitions. */
function toCondition(table: Table, range: Range): Sql {
  if (table === candlesTable) {
    return sql`t + seconds > ${range.afterTime} and t + seconds <= ${range.toTime}
      and t + 86400 > ${range.afterTime} and t < ${range.toTime}`;
  }
  const { first, last } = range.times ?? { first: 1, last: 0 };
  return sql`block_number > ${range.afterBlock} and block_number <= ${range.toBlock}
    and block_time >= ${first} and block_time <= ${last}`;
}

/** SQL of `hashRow` of table.ts. */
function rowHashSql(table: Table): Sql {
  const texts = getDigestColumns(table).map(({ name: column, type }) => {
    if (type === "Float64") return sql`hex(reinterpretAsString(${name(column)}))`;
    return type === "hash" || type === "amount" ? sql`hex(${name(column)})` : sql`toString(${name(column)})`;
  });
  const joined = texts.flatMap((text, index) => (index === 0 ? [text] : [sql`'|'`, text]));
  return sql`reinterpretAsUInt64(substring(SHA256(concat(${joined})), 1, 8))`;
}

/** Computes the digests of a range in the engine, by token. */
export async function readDigests(engine: Engine, table: Table, range: Range): Promise<Map<number, Digest>> {
  if (table === tradesTable && range.times === null) return new Map();
  const bytes = await engine.clickHouse.query(
    sql`select token_id, count(), sum(row_hash) from (
        select ${table.key.map(name)}, argMax(${rowHashSql(table)}, version) as row_hash
        from ${toTable(engine, table)} where ${toCondition(table, range)} group by ${table.key.map(name)}
      ) group by token_id`,
    { timeoutMs: longMs },
  );
  if (bytes.length % 20 !== 0) throw new RangeError("the result does not consist of whole rows");
  const digests = new Map<number, Digest>();
  for (let offset = 0; offset < bytes.length; offset += 20) {
    const rows = Number(bytes.readBigUInt64LE(offset + 4));
    digests.set(bytes.readUInt32LE(offset), { rows, hash: bytes.readBigUInt64LE(offset + 12) });
  }
  return digests;
}

/** Lists the keys of a token's rows in a range, without the token's id. */
export async function listKeys(
  engine: Engine,
  table: Table,
  { tokenId, range }: { tokenId: number; range: Range },
): Promise<[number, number][]> {
  const [, first, second] = table.key.map(name) as [Sql, Sql, Sql];
  const bytes = await engine.clickHouse.query(
    sql`select toUInt64(${first}), toUInt64(${second}) from ${toTable(engine, table)}
      where token_id = ${tokenId} and ${toCondition(table, range)} group by ${first}, ${second}`,
    { timeoutMs: longMs },
  );
  const keys: [number, number][] = [];
  for (let offset = 0; offset + 16 <= bytes.length; offset += 16) {
    keys.push([Number(bytes.readBigUInt64LE(offset)), Number(bytes.readBigUInt64LE(offset + 8))]);
  }
  return keys;
}

/** Deletes rows of a token by their keys. The engine deletes them later, in the background. */
export async function deleteRows(
  engine: Engine,
  table: Table,
  { tokenId, keys }: { tokenId: number; keys: readonly [number, number][] },
): Promise<void> {
  const { cluster } = engine.clickHouse;
  const onCluster = cluster === null ? empty : sql` on cluster ${name(cluster)}`;
  const [, first, second] = table.key.map(name) as [Sql, Sql, Sql];
  const pairs = keys.map(([a, b]) => sql`(${a}, ${b})`);
  await engine.clickHouse.query(
    sql`alter table ${toLocalTable(engine, table)}${onCluster}
      delete where token_id = ${tokenId} and (toUInt64(${first}), toUInt64(${second})) in (${pairs})`,
    { timeoutMs: longMs },
  );
}

/**
 * Removes repeated keys from rows that are sorted by key and version, highest version first. The engine has such copies
 * from an interrupted copy or a repair until it merges its files.
 */
export function removeCopies(table: Table, rows: readonly EngineRow[]): EngineRow[] {
  return rows.filter((row, index) => {
    const previous = rows[index - 1];
    return previous === undefined || table.key.some((column) => row[column] !== previous[column]);
  });
}
