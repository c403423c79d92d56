import type { Clients } from "./createClients.ts";
import { until } from "./program.ts";
import type { Load } from "./startLoad.ts";
import type { Trader } from "./startTrader.ts";

export type Truth = { trades: number; drafts: number; problems: string[] };

/**
 * Compares the service at the end with the receipts of the chain and with the acknowledged drafts: nothing is missing,
 * and nothing is there twice.
 */
export async function verifyTruth(options: {
  clients: Clients;
  load: Load;
  trader: Trader;
  apiKeys: readonly string[];
  token: string;
  signal: AbortSignal;
}): Promise<Truth> {
  const { clients, load, trader, apiKeys, token, signal } = options;
  const problems: string[] = [];
  const mined = trader.minedAtMs;
  for (const stream of load.streams) {
    const isComplete = () => [...mined.keys()].every((hash) => stream.trades.has(hash));
    await until(`${stream.name} has every trade`, isComplete, { signal }).catch(() => undefined);
    const lost = [...mined.keys()].filter((hash) => !stream.trades.has(hash)).length;
    const twice = [...stream.trades.values()].filter((count) => count > 1).length;
    if (lost > 0) problems.push(`${stream.name} lacks ${lost} of ${mined.size} trades`);
    if (twice > 0) problems.push(`${stream.name} has ${twice} trades twice`);
    if (stream.snapshots > 0) problems.push(`${stream.name} reported missing messages ${stream.snapshots} times`);
  }
  const api = "/api/v1/launchpad";
  const tradesPath = `${api}/tokens/${token}/trades`;
  const trades = await readAll(
    clients,
    (before) => `${tradesPath}?side=buy&limit=100${before === null ? "" : `&before=${before}`}`,
  );
  problems.push(
    ...compare(
      "trades of the API",
      trades.map(({ tx_hash: hash }) => hash),
      [...mined.keys()],
    ),
  );
  const drafts: any[] = [];
  for (const key of apiKeys) {
    const toPath = (before: string | null) => `${api}/intents${before === null ? "" : `?before=${before}`}`;
    drafts.push(...(await readAll(clients, toPath, { authorization: `Bearer ${key}` })));
  }
  const names = drafts.map(({ intent }) => intent.name).filter((name: string) => name.startsWith("Draft "));
  problems.push(
    ...compare(
      "drafts of the API",
      drafts.filter(({ intent }) => names.includes(intent.name)).map(({ id }) => id),
      [...load.drafts.values()],
    ),
  );
  if (new Set(names).size !== names.length) problems.push("a draft was stored twice");
  return { trades: mined.size, drafts: load.drafts.size, problems };
}

/** Reads all pages of a list. */
async function readAll(clients: Clients, toPath: (cursor: string | null) => string, headers = {}): Promise<any[]> {
  const items: any[] = [];
  for (let cursor: string | null = null; ; ) {
    const answer = await clients.send("read", toPath(cursor), { headers });
    if (answer?.status !== 200) throw new Error(`the final list was not read: ${JSON.stringify(answer)}`);
    items.push(...answer.body.items);
    cursor = answer.body.next_before ?? null;
    if (cursor === null) return items;
  }
}

function compare(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const set = new Set(found);
  const lost = expected.filter((one) => !set.has(one)).length;
  const known = new Set(expected);
  const unknown = found.filter((one) => !known.has(one)).length;
  const problems: string[] = [];
  if (lost > 0) problems.push(`${what}: ${lost} of ${expected.length} are missing`);
  if (set.size < found.length) problems.push(`${what}: ${found.length - set.size} are there twice`);
  if (unknown > 0) problems.push(`${what}: ${unknown} are unknown`);
  return problems;
}
