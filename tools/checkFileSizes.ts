import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./testing/repositoryRoot.ts";

/** The longest that nine files in ten may be, and the longest that any may be. */
const usualLines = 350;
const maximumLines = 600;
/** How many of the longest files are named. */
const named = 8;

const generated = /^(packages\/protocol\/src\/contracts\/|contracts\/artifacts\/|tools\/canary\/)/;

/** Source files of the repository, those not yet committed too; without git, e.g. in an archive, none. */
function sourceFiles(): string[] {
  const list = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.mjs", "*.sol"],
    {
      cwd: repositoryRoot,
      encoding: "utf8",
    },
  );
  return list.split("\n").filter((path) => path !== "" && !generated.test(path));
}

const lineCount = (path: string) => readFileSync(join(repositoryRoot, path), "utf8").split("\n").length - 1;

const sizes = sourceFiles()
  .flatMap((path) => {
    try {
      return [{ path, lines: lineCount(path) }];
    } catch {
      // Listed by git and deleted in the working tree.
      return [];
    }
  })
  .sort((a, b) => b.lines - a.lines);
const long = sizes.filter(({ lines }) => lines >= usualLines);
const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
const share = sizes.length === 0 ? 0 : (100 * (sizes.length - long.length)) / sizes.length;

process.stdout.write(
  `${sizes.length} files, median ${median} lines, ${share.toFixed(1)}% below ${usualLines} lines; the longest:\n` +
    sizes
      .slice(0, named)
      .map(({ path, lines }) => `  ${String(lines).padStart(5)} ${path}\n`)
      .join(""),
);
const tooLong = sizes.filter(({ lines }) => lines > maximumLines);
if (sizes.length === 0) process.stderr.write("No source file was found: this proves nothing.\n");
if (share < 90) process.stderr.write(`Nine in ten files must have less than ${usualLines} lines.\n`);
for (const { path } of tooLong) process.stderr.write(`${path} has more than ${maximumLines} lines.\n`);
process.exitCode = sizes.length === 0 || share < 90 || tooLong.length > 0 ? 1 : 0;
