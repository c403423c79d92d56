import type { OpenCell } from "./openCells.ts";

export type CellState = { state: "proven"; proofs: number } | { state: "open"; reason: string } | { state: "empty" };

export type Matrix = {
  operations: string[];
  statuses: number[];
  cells: Map<string, CellState>;
  /** Open cells that are proven or not declared: the list is out of date. */
  needlesslyOpen: OpenCell[];
  /** Proven cells that are not declared. */
  undeclared: string[];
};

/**
 * Compares declared with proven cells.
 *
 * @param declared - The statuses of each operation, from the OpenAPI document and the specification together.
 * @param proven - One entry for each test that proved a cell.
 */
export function buildMatrix(
  declared: Map<string, ReadonlySet<number>>,
  proven: readonly string[],
  open: readonly OpenCell[],
): Matrix {
  const proofs = new Map<string, number>();
  for (const cell of proven) proofs.set(cell, (proofs.get(cell) ?? 0) + 1);
  const reasons = new Map(open.map(({ cell, reason }) => [cell, reason]));
  const cells = new Map<string, CellState>();
  for (const [operation, statuses] of declared) {
    for (const status of statuses) {
      const cell = `${operation} ${status}`;
      const count = proofs.get(cell);
      const reason = reasons.get(cell);
      if (count !== undefined) cells.set(cell, { state: "proven", proofs: count });
      else cells.set(cell, reason === undefined ? { state: "empty" } : { state: "open", reason });
    }
  }
  return {
    operations: [...declared.keys()],
    statuses: [...new Set([...declared.values()].flatMap((statuses) => [...statuses]))].sort((a, b) => a - b),
    cells,
    needlesslyOpen: open.filter(({ cell }) => cells.get(cell)?.state !== "open"),
    undeclared: [...proofs.keys()].filter((cell) => !cells.has(cell)),
  };
}

/**
 * Returns the matrix as a Markdown table: the number of proofs, `open`, `EMPTY`, or nothing if the cell is not
 * declared.
 */
export function matrixTable({ operations, statuses, cells }: Matrix): string {
  const show = (cell: CellState | undefined) => {
    if (cell === undefined) return "";
    return cell.state === "proven" ? String(cell.proofs) : cell.state === "open" ? "open" : "EMPTY";
  };
  const rows = operations.map((operation) => [
    `\`${operation}\``,
    ...statuses.map((status) => show(cells.get(`${operation} ${status}`))),
  ]);
  const all = [["", ...statuses.map(String)], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(all[0]!), rule, ...rows.map(line)].join("\n");
}
