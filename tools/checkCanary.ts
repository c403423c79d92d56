import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repositoryRoot } from "./sourceFiles.ts";

/** A diagnostic of a linter, or one that a canary file announces; then `message` is a part of the linter's message. */
type Finding = { file: string; line: number; message: string };

/**
 * Returns the violations that the files of a folder announce: `// violation: part of the message`, several on a line
 * too.
 */
async function readAnnounced(folder: string): Promise<Finding[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const findings = paths.map(async (path) => {
    const lines = (await readFile(path, "utf8")).split("\n");
    return lines.flatMap((text, index) => {
      const messages = text.split("// violation: ").slice(1);
      return messages.map((message) => ({ file: relative(folder, path), line: index + 1, message: message.trim() }));
    });
  });
  return (await Promise.all(findings)).flat();
}

/**
 * Returns the diagnostics that a linter prints as JSON in a folder. Ignores the exit code, because errors are expected.
 */
async function lint<T>(folder: string, program: string, args: string[]): Promise<T[]> {
  const bin = join(repositoryRoot, "node_modules", ".bin");
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(bin, "tsgolint") };
  const output = await new Promise<string>((resolve) => {
    execFile(join(bin, program), args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (_error, stdout) => resolve(stdout));
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: (T & { severity: string })[] };
  return diagnostics.filter(({ severity }) => severity === "error");
}

type BiomeFinding = { message: string; location: { path: string; start: { line: number } } };
type OxlintFinding = { code: string; message: string; filename: string; labels: { span: { line: number } }[] };

async function readReported(folder: string): Promise<Finding[]> {
  const biomeArguments = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const biome = await lint<BiomeFinding>(folder, "biome", biomeArguments);
  const oxlint = await lint<OxlintFinding>(folder, "oxlint", ["--type-aware", "--format=json"]);
  return [
    ...biome.map(({ message, location: { path: file, start } }) => ({ file, line: start.line, message })),
    ...oxlint.map(({ code, message, filename: file, labels }) => {
      return { file, line: labels[0]?.span.line ?? 0, message: `${code}: ${message}` };
    }),
  ];
}

/**
 * Proves that the linters fail: in a folder of violations they must report every announced violation and nothing else.
 * A rule that was disabled by accident shows as a missing report.
 */
async function main(): Promise<number> {
  const canary = join(repositoryRoot, "tools/canary");
  const folder = await mkdtemp(join(tmpdir(), "slipway-canary-"));
  try {
    await cp(canary, folder, { recursive: true });
    for (const path of ["biome.json", ".oxlintrc.json", "tools/gates"])
      await cp(join(repositoryRoot, path), join(folder, path), { recursive: true });
    const announced = await readAnnounced(canary);
    const reported = await readReported(folder);
    const fits = (wanted: Finding, found: Finding) =>
      wanted.file === found.file && wanted.line === found.line && found.message.includes(wanted.message);
    const problems = [
      ...announced.filter((wanted) => !reported.some((found) => fits(wanted, found))).map((each) => ["missing", each]),
      ...reported.filter((found) => !announced.some((wanted) => fits(wanted, found))).map((each) => ["extra", each]),
    ] as [string, Finding][];
    for (const [kind, { file, line, message }] of problems)
      process.stderr.write(`${kind} report: ${file}:${line} ${message.slice(0, 160)}\n`);
    process.stdout.write(`canary: ${announced.length} planted violations, ${problems.length} problems\n`);
    return problems.length > 0 || announced.length === 0 ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
