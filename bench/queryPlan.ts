import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";

/** A node of a plan as EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) returns it. */
export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  /** The buffers of its node include the statements of the function. */
  "Function Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
};

export type Statement = { text: string; values?: unknown[] };

/** Runs a statement and returns the nodes of its plan, the root first. */
export async function queryPlan(db: Pick<pg.ClientBase, "query">, statement: Statement): Promise<PlanNode[]> {
  const { rows } = await db.query(`explain (analyze, buffers, format json) ${statement.text}`, statement.values);
  return listNodes(rows[0]["QUERY PLAN"][0].Plan);
}

function listNodes(root: PlanNode): PlanNode[] {
  return [root, ...(root.Plans ?? []).flatMap(listNodes)];
}

/** Runs work in a transaction and returns the plans of its statements, also of those within functions. */
export async function explainFunctions(client: pg.ClientBase, run: () => Promise<unknown>): Promise<PlanNode[][]> {
  const plans: PlanNode[][] = [];
  const collect = ({ message = "" }: { message?: string | undefined }) => {
    if (message.includes("plan:")) plans.push(listNodes(JSON.parse(message.slice(message.indexOf("{"))).Plan));
  };
  await client.query(`load 'auto_explain'; set local auto_explain.log_min_duration = 0;
    set local auto_explain.log_nested_statements = on; set local auto_explain.log_analyze = on;
    set local auto_explain.log_format = json; set local auto_explain.log_level = notice`);
  client.on("notice", collect);
  await run();
  client.off("notice", collect);
  return plans;
}

/**
 * Wraps a database so that it explains each statement before a client runs it.
 *
 * @returns `plans`: the plans of the statements so far, in order.
 */
export function explainStatements(client: Pick<pg.ClientBase, "query">): {
  db: { query: (statement: Statement | string, values?: unknown[]) => Promise<pg.QueryResult> };
  plans: PlanNode[][];
} {
  const plans: PlanNode[][] = [];
  const query = async (statement: Statement | string, values?: unknown[]) => {
    const { text, values: own } = typeof statement === "string" ? { text: statement, values } : statement;
    plans.push(await queryPlan(client, { text, ...(own && { values: own }) }));
    return await client.query(text, own);
  };
  return { db: { query }, plans };
}

const isRecorded = new AsyncLocalStorage<boolean>();

/**
 * Runs a request and returns the plans of the statements that it sends to a pool, without concurrent statements of
 * others.
 */
export async function getPlans(
  client: Pick<pg.ClientBase, "query">,
  pool: Pick<pg.Pool, "query">,
  run: () => Promise<unknown>,
): Promise<PlanNode[][]> {
  const statements: Statement[] = [];
  const { query } = pool;
  pool.query = ((statement: Statement | string, ...rest: unknown[]) => {
    if (isRecorded.getStore()) {
      const values = rest[0] as unknown[] | undefined;
      statements.push(typeof statement === "string" ? { text: statement, ...(values && { values }) } : statement);
    }
    return Reflect.apply(query, pool, [statement, ...rest]);
  }) as typeof query;
  try {
    await isRecorded.run(true, run);
  } finally {
    pool.query = query;
  }
  const plans: PlanNode[][] = [];
  for (const statement of statements) plans.push(await queryPlan(client, statement));
  return plans;
}

/** Returns the number of rows that a plan reads from tables, with the rows that it discards. */
export function rowsRead(nodes: readonly PlanNode[]): number {
  return nodes
    .filter((node) => node["Relation Name"] !== undefined)
    .reduce(
      (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );
}

/** Returns the number of pages that a plan touches; the root includes all nodes below it. */
export function pagesTouched([root]: readonly PlanNode[]): number {
  return root!["Shared Hit Blocks"] + root!["Shared Read Blocks"];
}

/** Tables that grow without bound, or with every launch. */
const large = new Set([
  ...["tokens", "token_state", "trades", "candles", "accounts", "traders", "balances", "splitter_payees", "outbox"],
  ...["splitters", "splitter_received", "splitter_released", "gallery", "gallery_items", "listings", "images"],
]);

/** Returns the large tables that a plan scans completely; partitions of trades count as their table. */
export function wholeReads(nodes: readonly PlanNode[]): string[] {
  return nodes
    .filter((node) => node["Node Type"] === "Seq Scan")
    .map((node) => node["Relation Name"]!.replace(/^trades_\d+$/, "trades"))
    .filter((name) => large.has(name));
}
