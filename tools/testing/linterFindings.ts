import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Finding } from "./announcedViolations.ts";
import { repositoryRoot } from "./repositoryRoot.ts";

const bin = (name: string) => join(repositoryRoot, "node_modules", ".bin", name);

/** Runs a linter in a folder for its JSON. Its exit code says nothing here: there must be errors. */
function jsonOf(program: string, args: string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, OXLINT_TSGOLINT_PATH: bin("tsgolint") },
    };
    execFile(bin(program), args, options, (error, stdout, stderr) => {
      if (stdout.trim() === "") reject(new Error(`${program} reported nothing: ${stderr || error?.message}`));
      else resolve(stdout);
    });
  });
}

type BiomeReport = {
  diagnostics: { severity: string; message: string; location: { path: string; start: { line: number } } }[];
};

/** The errors that Biome reports in a folder with its configuration. */
export async function biomeFindings(folder: string): Promise<Finding[]> {
  const text = await jsonOf("biome", ["lint", "--reporter=json", "--max-diagnostics=none", "."], folder);
  return (JSON.parse(text) as BiomeReport).diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ message, location }) => ({ file: location.path, line: location.start.line, message }));
}

type OxlintReport = {
  diagnostics: {
    code: string;
    message: string;
    severity: string;
    filename: string;
    labels: { span: { line: number } }[];
  }[];
};

/** The errors that oxlint, its type-aware rules included, reports in a folder with its configuration. */
export async function oxlintFindings(folder: string): Promise<Finding[]> {
  const text = await jsonOf("oxlint", ["--type-aware", "--format=json"], folder);
  return (JSON.parse(text) as OxlintReport).diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message, filename, labels }) => ({
      file: filename,
      line: labels[0]?.span.line ?? 0,
      message: `${code}: ${message}`,
    }));
}
