import type pg from "pg";

/** A node of a plan as EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) returns it. */
export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
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
  const nodes: PlanNode[] = [];
  const walk = (node: PlanNode) => {
    nodes.push(node);
    node.Plans?.forEach(walk);
  };
  walk(rows[0]["QUERY PLAN"][0].Plan);
  return nodes;
}

/** Rows that a plan takes from tables, and those that it reads only to throw away. */
export function rowsRead(nodes: readonly PlanNode[]): number {
  return nodes
    .filter((node) => node["Relation Name"] !== undefined)
    .reduce(
      (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );
}

/** Pages that a plan touches; the root counts those of all below it. */
export function pagesTouched([root]: readonly PlanNode[]): number {
  return root!["Shared Hit Blocks"] + root!["Shared Read Blocks"];
}

/** Tables that grow without end, or with every launch. */
const large = new Set([
  ...["tokens", "token_state", "trades", "candles", "accounts", "traders", "balances", "splitter_payees", "outbox"],
  ...["splitters", "splitter_received", "splitter_released", "gallery", "listings", "images"],
]);

/** The large tables that a plan reads from end to end. */
export function wholeReads(nodes: readonly PlanNode[]): string[] {
  return nodes
    .filter((node) => node["Node Type"] === "Seq Scan" && large.has(node["Relation Name"]!))
    .map((node) => node["Relation Name"]!);
}
