import type { Queryable } from "../../db/database.ts";
import { type CopiedRange, findTokenAddresses, type HistoryState, listCopiedRanges } from "../stateQueries.ts";
import { findDifferences, readStoredRange, sumDigests } from "./copyRange.ts";
import { deleteRows, type Engine, insertRows, listKeys, type Range, readDigests } from "./engineQueries.ts";
import type { Digest, EngineRow, Table } from "./table.ts";
import { candlesTable, tradesTable } from "./tables.ts";

/** Ranges are compared together up to this number of trades. */
const maxTrades = 200_000;
/** A candle of a day begins up to this long before it ends. */
const daySeconds = 86_400;

/** A difference between both stores: the rows of a token, or of all tokens where PostgreSQL no longer has the range. */
export type Difference = {
  table: Table["name"];
  /** Lower case; null for all tokens. */
  token: string | null;
  afterBlock: number;
  toBlock: number;
  /** Rows that were copied, and rows in the engine. */
  stored: number;
  copied: number;
  /** `changed`: PostgreSQL no longer has the rows that were copied, so nothing is repaired from it. */
  state: "differs" | "repaired" | "changed";
};

export type CheckOptions = {
  /** Whether to copy differing rows again, and delete rows that PostgreSQL does not have. */
  repair: boolean;
  /** Unix seconds; higher than the version of every earlier copy. */
  version: number;
  /** Waits until the engine has deleted rows. */
  sleep: (milliseconds: number) => Promise<void>;
  onProgress: (toBlock: number) => void;
};

/**
 * Compares all copied ranges: by token with PostgreSQL, or with the digest of the copy where PostgreSQL may lack rows.
 *
 * @throws ClickHouseError
 */
export async function checkHistory(
  db: Queryable,
  engine: Engine,
  state: HistoryState,
  options: CheckOptions,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const group of groupRanges(await listCopiedRanges(db), state)) {
    const found = group.isStored
      ? await compareWithRows(db, engine, group, options)
      : await compareWithDigest(engine, group);
    differences.push(...found);
    options.onProgress(group.toBlock);
  }
  return differences;
}

type Group = CopiedRange & { isStored: boolean };

function groupRanges(ranges: readonly CopiedRange[], state: HistoryState): Group[] {
  const groups: Group[] = [];
  for (const range of ranges) {
    const isStored =
      state.detached_block === 0 ||
      (range.afterBlock >= state.detached_block && range.afterTime >= state.detached_time + daySeconds);
    const last = groups.at(-1);
    const isJoined = last?.isStored && isStored && last.trades + range.trades <= maxTrades;
    if (isJoined) groups[groups.length - 1] = { ...joinRanges(last, range), isStored };
    else groups.push({ ...range, isStored });
  }
  return groups;
}

/** Joins a range and the next one: digests add up. */
function joinRanges(first: CopiedRange, next: CopiedRange): CopiedRange {
  const addHashes = (a: string, b: string) => BigInt.asUintN(64, BigInt(a) + BigInt(b)).toString();
  return {
    ...first,
    toBlock: next.toBlock,
    toTime: next.toTime,
    lastTime: next.lastTime,
    trades: first.trades + next.trades,
    tradesHash: addHashes(first.tradesHash, next.tradesHash),
    candles: first.candles + next.candles,
    candlesHash: addHashes(first.candlesHash, next.candlesHash),
  };
}

function toRange({ afterBlock, toBlock, firstTime, lastTime, afterTime, toTime }: CopiedRange): Range {
  const times = firstTime === null || lastTime === null ? null : { first: firstTime, last: lastTime };
  return { afterBlock, toBlock, times, afterTime, toTime };
}

async function compareWithDigest(engine: Engine, group: Group): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const [table, rows, hash] of [
    [tradesTable, group.trades, group.tradesHash],
    [candlesTable, group.candles, group.candlesHash],
  ] as const) {
    const copied = sumDigests(await readDigests(engine, table, toRange(group)));
    if (copied.rows === rows && copied.hash.toString() === hash) continue;
    const { afterBlock, toBlock } = group;
    const counts = { stored: rows, copied: copied.rows };
    differences.push({ table: table.name, token: null, afterBlock, toBlock, ...counts, state: "differs" });
  }
  return differences;
}

async function compareWithRows(
  db: Queryable,
  engine: Engine,
  group: Group,
  options: CheckOptions,
): Promise<Difference[]> {
  const start = { block: group.afterBlock, time: group.afterTime };
  const stored = await readStoredRange(db, start, group.toBlock, async () => undefined);
  const differences: Difference[] = [];
  for (const [table, digests, rows, hash] of [
    [tradesTable, stored.trades, group.trades, group.tradesHash],
    [candlesTable, stored.candles, group.candles, group.candlesHash],
  ] as const) {
    const { afterBlock, toBlock } = group;
    const now = sumDigests(digests);
    if (now.rows !== rows || now.hash.toString() !== hash) {
      const counts = { stored: rows, copied: now.rows };
      differences.push({ table: table.name, token: null, afterBlock, toBlock, ...counts, state: "changed" });
      continue;
    }
    const copied = await readDigests(engine, table, toRange(group));
    const tokens = findDifferences(digests, copied);
    if (tokens.length === 0) continue;
    const left = options.repair ? await repairTokens(db, engine, { table, group, tokens, digests }, options) : tokens;
    const addresses = await findTokenAddresses(db, tokens);
    for (const id of tokens) {
      differences.push({
        table: table.name,
        token: addresses.get(id) ?? null,
        afterBlock,
        toBlock,
        stored: digests.get(id)?.rows ?? 0,
        copied: copied.get(id)?.rows ?? 0,
        state: left.includes(id) ? "differs" : "repaired",
      });
    }
  }
  return differences;
}

const pollMs = 250;
const maxPolls = 240;

/** Copies the rows of tokens again, and deletes the others. @returns The tokens that still differ. */
async function repairTokens(
  db: Queryable,
  engine: Engine,
  work: { table: Table; group: Group; tokens: readonly number[]; digests: ReadonlyMap<number, Digest> },
  { version, sleep }: CheckOptions,
): Promise<readonly number[]> {
  const { table, group, tokens, digests } = work;
  const isChosen = new Set(tokens);
  const keys = new Map(tokens.map((id) => [id, new Set<string>()]));
  const [, first, second] = table.key as [string, string, string];
  const start = { block: group.afterBlock, time: group.afterTime };
  await readStoredRange(db, start, group.toBlock, async (rowTable, rows) => {
    const chosen = rows.filter((row: EngineRow) => rowTable === table && isChosen.has(row.token_id as number));
    for (const row of chosen) keys.get(row.token_id as number)!.add(`${row[first]}:${row[second]}`);
    const versioned = chosen.map((row) => ({ ...row, version }));
    if (chosen.length > 0) await insertRows(engine, table, versioned);
  });
  for (const tokenId of tokens) {
    const copied = await listKeys(engine, table, { tokenId, range: toRange(group) });
    const extra = copied.filter(([a, b]) => !keys.get(tokenId)!.has(`${a}:${b}`));
    if (extra.length > 0) await deleteRows(engine, table, { tokenId, keys: extra });
  }
  for (let poll = 0; ; poll++) {
    const copied = await readDigests(engine, table, toRange(group));
    const left = findDifferences(digests, copied);
    if (left.length === 0 || poll === maxPolls) return left;
    await sleep(pollMs);
  }
}
