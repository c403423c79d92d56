import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildMatrix, type Matrix, matrixTable } from "./matrix.ts";
import { readOpenApi } from "./openApi.ts";
import { openCells } from "./openCells.ts";
import { specStatuses } from "./specStatuses.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const runFolder = join(here, "../../../.cache/conformance");

/** All statuses that OpenAPI or the specification declares, by operation. */
function declaredStatuses(): Map<string, Set<number>> {
  const { operations } = readOpenApi(JSON.parse(readFileSync(join(runFolder, "openapi.json"), "utf8")));
  const declared = new Map<string, Set<number>>();
  for (const { name, answers } of operations.values()) declared.set(name, new Set(answers.keys()));
  for (const [name, statuses] of Object.entries(specStatuses)) {
    declared.set(name, new Set([...(declared.get(name) ?? []), ...statuses]));
  }
  return declared;
}

function provenCells(): string[] {
  const lines = readFileSync(join(runFolder, "cells.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { cell: string }).cell);
}

/** An external stack cannot be broken on purpose, so statuses of a broken stack cannot be proven on it. */
function wasRunFromInside(): boolean {
  return (JSON.parse(readFileSync(join(runFolder, "run.json"), "utf8")) as { fromInside: boolean }).fromInside;
}

function getProblems({ cells, needlesslyOpen, undeclared }: Matrix): string[] {
  const empty = [...cells].filter(([, { state }]) => state === "empty").map(([cell]) => cell);
  if (!wasRunFromInside()) return undeclared.map((cell) => `${cell} was answered and is declared nowhere`);
  return [
    ...empty.map((cell) => `no test proves ${cell}`),
    ...needlesslyOpen.map(({ cell }) => `${cell} is listed as open and is not`),
    ...undeclared.map((cell) => `${cell} was answered and is declared nowhere`),
  ];
}

/**
 * Prints the endpoint x status matrix of the last conformance run; an empty cell fails. `--write` writes it to a page.
 */
function main(): number {
  const matrix = buildMatrix(declaredStatuses(), provenCells(), openCells);
  const states = [...matrix.cells.values()];
  const count = (state: string) => states.filter((cell) => cell.state === state).length;
  const reasons = openCells.map(({ cell, reason }) => `- \`${cell}\`: ${reason}`).join("\n");
  const summary = `${states.length} cells: ${count("proven")} proven, ${count("open")} open, ${count("empty")} empty.`;
  process.stdout.write(`${matrixTable(matrix)}\n\n${summary}\n${reasons}\n`);
  if (process.argv.includes("--write")) {
    const page = `# Endpoints x statuses

Written by \`npm run conformance -- --write\`. A number is how many tests prove the cell; an empty cell fails the run.

${matrixTable(matrix)}

${summary} Open on purpose:

${reasons}
`;
    writeFileSync(join(here, "MATRIX.md"), page);
  }
  if (!wasRunFromInside())
    process.stdout.write("\nA stack elsewhere: cells that only a broken one shows stay empty.\n");
  const problems = getProblems(matrix);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = main();
