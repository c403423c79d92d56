// Creates contracts/MUTATION.md: the result of the last mutation runs, and all surviving and proven equivalent mutants.
//
//   node contracts/tools/mutationReport.ts            writes it from the stored results
//   node contracts/tools/mutationReport.ts --check    fails if it names a mutant that the sources do not have, or if the
//                                                     list of equivalent mutants differs from it
//
// The check runs no mutant: the figures are from the last run.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { equivalents, getEquivalenceReason, listStaleEquivalents } from "./equivalentMutants.ts";
import { describe, generateMutants, type Mutant } from "./generateMutants.ts";
import type { MutantResult, Verdict } from "./mutateWorker.ts";
import { repositoryRoot } from "./mutationCompiler.ts";
import { MutationResults, resultsFile } from "./mutationResults.ts";

const document = join(repositoryRoot, "contracts", "MUTATION.md");
const equivalentsTitle = "## Proven equivalent";
const survivedTitle = "## Survived";

if (import.meta.main) {
  const mutants = generateMutants(repositoryRoot);
  if (process.argv.includes("--check")) process.exitCode = check(mutants);
  else writeFileSync(document, render(mutants, new MutationResults(resultsFile, join(repositoryRoot, "contracts"))));
}

function check(mutants: readonly Mutant[]): number {
  const text = existsSync(document) ? readFileSync(document, "utf8") : "";
  const known = new Set(mutants.map(describeInList));
  const [, survived = ""] = text.split(survivedTitle);
  const problems = [
    ...listStaleEquivalents(mutants).map((entry) => `equivalentMutants.ts: no such mutant: ${JSON.stringify(entry)}`),
    ...[...survived.matchAll(/^- `(.+)`$/gm)]
      .filter(([, name = ""]) => !known.has(name))
      .map(([, name]) => `contracts/MUTATION.md: the sources have no such mutant: ${name}`),
  ];
  if (!text.includes(renderEquivalents(mutants))) {
    problems.push("contracts/MUTATION.md: the equivalent mutants differ: run node contracts/tools/mutationReport.ts");
  }
  for (const problem of problems) console.error(problem);
  console.log(
    `${mutants.length} mutants, ${equivalents.length} entries of equivalent ones, ${problems.length} problems`,
  );
  return problems.length === 0 ? 0 : 1;
}

function render(mutants: readonly Mutant[], stored: MutationResults): string {
  const contracts = [...new Set(mutants.map(({ contract }) => contract))];
  const rows = contracts.map((contract) =>
    renderRow(
      contract,
      mutants.filter((mutant) => mutant.contract === contract),
      stored,
    ),
  );
  rows.push(renderRow("**all**", mutants, stored));
  const survived = mutants.filter((mutant) => isRunnable(mutant) && stored.get(mutant)?.verdict === "survived");
  const list = survived.map((mutant) => `- \`${describeInList(mutant)}\``).join("\n");
  return `# Mutation testing

Written by \`contracts/tools/mutationReport.ts\` from the results of \`npm run contracts:mutate\`. Do not edit.

Each mutant is one small change of the contracts. A mutant is killed if a test fails. The tests of gas, of the released
bytecode and of the economic attacks and the enumerated proofs are excluded, because they measure gas, compare bytecode or
take too long. At least 95% of the mutants with changed code must be killed. A mutant that survives the reduced volume of the
first runs runs again with the volume of \`npm test\`. "Run" counts the mutants that have a result on these sources: a change of
the sources discards all results. Mutants run in random order, so an incomplete run is a random sample, unless \`--only\` or
\`--match\` selected the mutants. "Same code" compiles to the same code, "invalid" does not compile.

| contract | mutants | equivalent | run | killed | survived | same code | invalid | score |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
${rows.join("\n")}

${renderEquivalents(mutants)}
${survivedTitle}

${list || "No mutant that ran survived."}
`;
}

function isRunnable(mutant: Mutant): boolean {
  return getEquivalenceReason(mutant) === null;
}

function renderRow(name: string, mutants: readonly Mutant[], stored: MutationResults): string {
  const runnable = mutants.filter(isRunnable);
  const results = runnable
    .map((mutant) => stored.get(mutant))
    .filter((result): result is MutantResult => result !== undefined);
  const count = (...verdicts: Verdict[]) => results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const [killed, survived] = [count("killed", "timeout"), count("survived")];
  const score = killed + survived === 0 ? "" : `${((killed / (killed + survived)) * 100).toFixed(1)}%`;
  const cells = [name, mutants.length, mutants.length - runnable.length, results.length, killed, survived];
  return `| ${[...cells, count("equivalent"), count("invalid"), score].join(" | ")} |`;
}

/** Returns one line for each entry; several mutants can share an entry. */
function renderEquivalents(mutants: readonly Mutant[]): string {
  const lines = mutants.flatMap((mutant) => {
    const because = getEquivalenceReason(mutant);
    return because === null ? [] : [`- \`${describeInList(mutant)}\`: ${because}`];
  });
  return `${equivalentsTitle}\n\n${lines.join("\n")}\n`;
}

/** Omits the line number, which other changes of the file would move, and shortens the text. */
function describeInList(mutant: Mutant): string {
  const [, text = ""] = describe(mutant).split(/:\d+ (.*)/);
  const short = text.replaceAll("`", "'").replace(/(.{60}).{8,}?(.{20}) -> /, "$1 ... $2 -> ");
  const cut = short.length > 190 ? `${short.slice(0, 187)}...` : short;
  return `${mutant.contract}: ${cut.trim()}`;
}
