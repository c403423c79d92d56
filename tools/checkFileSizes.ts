import { sourceFiles } from "./sourceFiles.ts";

/**
 * The maximum numbers of lines. A product file is a source of an app or package that is neither generated nor a test.
 */
const bounds = { ninetieth: 350, any: 600 } as const;
const listed = 8;

const isGenerated = (path: string) =>
  /^(packages\/protocol\/src\/contracts|contracts\/artifacts|tools\/canary)\//.test(path);
const isProduct = (path: string) => /^(apps\/\w+|packages\/\w+)\/src\/.*(?<!\.test)\.tsx?$/.test(path);

type Size = { path: string; lines: number };
const getQuantile = (sizes: readonly Size[], share: number) => sizes[Math.floor(sizes.length * share)]?.lines ?? 0;

/** Prints the sizes of files, and the violations. oxlint checks the length of functions. */
function main(): number {
  const files = sourceFiles((path) => /\.(tsx?|css|mjs|sol)$/.test(path) && !isGenerated(path));
  const sizes = files.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
  sizes.sort((a, b) => a.lines - b.lines);
  const product = sizes.filter(({ path }) => isProduct(path));
  const median = getQuantile(product, 0.5);
  const ninetieth = getQuantile(product, 0.9);
  const longest = sizes.slice(-listed).reverse();
  process.stdout.write(`${product.length} product files: median ${median} lines, nine in ten below ${ninetieth + 1}\n`);
  for (const { path, lines } of longest) process.stdout.write(`${String(lines).padStart(6)} ${path}\n`);
  const problems = [
    ...(ninetieth >= bounds.ninetieth ? [`one product file in ten has ${bounds.ninetieth} lines or more`] : []),
    ...longest.filter(({ lines }) => lines > bounds.any).map(({ path }) => `${path} has more than ${bounds.any} lines`),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = main();
