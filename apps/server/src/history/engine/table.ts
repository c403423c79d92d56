import { hash } from "node:crypto";

/**
 * Types of the engine's columns: whole numbers, a double (null is stored as NaN), and 32 bytes as a hash with `0x` or as
 * an amount. All have a fixed width, so that every row of a table has the same size in RowBinary.
 */
export type ColumnType = "UInt8" | "UInt32" | "UInt64" | "Float64" | "hash" | "amount";

export type Column = { name: string; type: ColumnType; codec: string };

export type Table = {
  name: "trades" | "candles";
  columns: readonly Column[];
  key: readonly string[];
  partition: string;
};

/** A value of a column: a number, a double or null, 0x and 64 hex digits, or a decimal amount. */
export type Value = number | string | null;
export type EngineRow = Record<string, Value>;

const widths: Record<ColumnType, number> = { UInt8: 1, UInt32: 4, UInt64: 8, Float64: 8, hash: 32, amount: 32 };

/** The bits of the one NaN that stands for null. */
const nullBits = 0x7ff8_0000_0000_0000n;

/** Returns the bytes of a row. */
export function getRowBytes({ columns }: Table): number {
  return columns.reduce((sum, { type }) => sum + widths[type], 0);
}

/**
 * Encodes rows as RowBinary.
 *
 * @throws RangeError for a value that its column cannot store.
 */
export function encodeRows(table: Table, rows: readonly EngineRow[]): Buffer {
  const bytes = Buffer.alloc(rows.length * getRowBytes(table));
  let offset = 0;
  for (const row of rows) {
    for (const { name, type } of table.columns) {
      writeValue(bytes, offset, type, row[name]!);
      offset += widths[type];
    }
  }
  return bytes;
}

function writeValue(bytes: Buffer, offset: number, type: ColumnType, value: Value): void {
  if (type === "UInt8") bytes.writeUInt8(value as number, offset);
  else if (type === "UInt32") bytes.writeUInt32LE(value as number, offset);
  else if (type === "UInt64") bytes.writeBigUInt64LE(BigInt(value as number), offset);
  else if (type === "hash") writeHash(bytes, offset, value as string);
  else if (type === "amount") writeAmount(bytes, offset, BigInt(value as string));
  else if (value === null || Number.isNaN(value)) bytes.writeBigUInt64LE(nullBits, offset);
  else bytes.writeDoubleLE(value as number, offset);
}

function writeHash(bytes: Buffer, offset: number, value: string): void {
  if (!/^0x[0-9a-f]{64}$/.test(value)) throw new RangeError("a hash does not have 32 bytes");
  bytes.write(value.slice(2), offset, "hex");
}

function writeAmount(bytes: Buffer, offset: number, value: bigint): void {
  if (value < 0n || value >= 2n ** 256n) throw new RangeError("an amount does not fit 32 bytes");
  // Big endian.
  bytes.write(value.toString(16).padStart(64, "0"), offset, "hex");
}

/**
 * Decodes rows of RowBinary.
 *
 * @throws RangeError when the bytes are not whole rows.
 */
export function decodeRows(table: Table, bytes: Buffer): EngineRow[] {
  const size = getRowBytes(table);
  if (bytes.length % size !== 0) throw new RangeError("the result does not consist of whole rows");
  const rows: EngineRow[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const row: EngineRow = {};
    for (const { name, type } of table.columns) {
      row[name] = readValue(bytes, offset, type);
      offset += widths[type];
    }
    rows.push(row);
  }
  return rows;
}

function readValue(bytes: Buffer, offset: number, type: ColumnType): Value {
  if (type === "UInt8") return bytes.readUInt8(offset);
  if (type === "UInt32") return bytes.readUInt32LE(offset);
  if (type === "UInt64") return Number(bytes.readBigUInt64LE(offset));
  const hex = () => `0x${bytes.toString("hex", offset, offset + 32)}`;
  if (type === "hash") return hex();
  if (type === "amount") return BigInt(hex()).toString();
  const double = bytes.readDoubleLE(offset);
  return Number.isNaN(double) ? null : double;
}

/** The number of rows, and the sum of their hashes modulo 2^64, which does not depend on their order. */
export type Digest = { rows: number; hash: bigint };

const versionColumn = "version";

/** The columns of a table's digest: all without the version of the copy. */
export function getDigestColumns({ columns }: Table): Column[] {
  return columns.filter(({ name }) => name !== versionColumn);
}

/**
 * Returns the hash of a row: the first eight bytes of the SHA-256 of its columns as text. `rowHashSql` is the same
 * function in the engine.
 */
export function hashRow(table: Table, row: EngineRow): bigint {
  const text = getDigestColumns(table).map(({ name, type }) => toHashedText(type, row[name]!));
  return hash("sha256", text.join("|"), "buffer").readBigUInt64LE();
}

const scratch = Buffer.alloc(32);

function toHashedText(type: ColumnType, value: Value): string {
  if (type === "UInt8" || type === "UInt32" || type === "UInt64") return String(value);
  writeValue(scratch, 0, type, value);
  const hex = scratch.toString("hex", 0, widths[type]).toUpperCase();
  // The engine's `reinterpretAsString` drops zero bytes at the end.
  return type === "Float64" ? hex.replace(/(?:00)+$/, "") : hex;
}

/** Adds a row to the digest of its token. */
export function addToDigest(digests: Map<number, Digest>, tokenId: number, hash: bigint): void {
  const digest = digests.get(tokenId) ?? { rows: 0, hash: 0n };
  digests.set(tokenId, { rows: digest.rows + 1, hash: (digest.hash + hash) & (2n ** 64n - 1n) });
}
