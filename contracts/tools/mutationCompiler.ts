// Compiles the contracts for the mutation run with npm's solc: with one optimiser run, and without the IR pipeline where
// the code compiles without it. This is several times faster than the release build. Only gas and code size differ.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const solc = createRequire(import.meta.url)("solc") as { compile: (input: string) => string };

/** The repository's root. */
export const repositoryRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The copy of contracts and tests that a run uses, so that edits during the run have no effect. */
export const workingCopy = join(repositoryRoot, ".cache", "mutation", "workingCopy");

/** A node of solc's AST. Further fields depend on the node type. */
export type AstNode = { nodeType: string; src: string } & Record<string, unknown>;

/** Source texts by path, relative to the working copy. */
export type Sources = ReadonlyMap<string, string>;

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  sources?: Record<string, { ast: AstNode }>;
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

/** `path` and all its imports. Texts of `replaced` take precedence over files. */
function readSources(path: string, replaced: Sources = new Map(), sources = new Map<string, string>()): Sources {
  if (sources.has(path)) return sources;
  const text = replaced.get(path) ?? readFileSync(join(workingCopy, path), "utf8");
  sources.set(path, text);
  for (const [, imported] of text.matchAll(/^\s*import\s[^"']*["']([^"']+)["']/gm)) {
    readSources(resolveImport(path, imported as string), replaced, sources);
  }
  return sources;
}

function resolveImport(from: string, path: string): string {
  if (path.startsWith("solady/")) return path.replace("solady/", "node_modules/solady/src/");
  return join(dirname(from), path);
}

/** @returns The AST of one source, with resolved types. */
export function compileAst(path: string): AstNode {
  const output = compile(readSources(path), { [path]: { "": ["ast"] } }, false);
  const source = output.sources?.[path];
  if (source === undefined) throw new Error(`solc gave no AST of ${path}:\n${formatErrors(output)}`);
  return source.ast;
}

/**
 * The creation code, as hex without prefix, of the contract with the name of the file at `path`.
 *
 * @throws Error with the compiler's messages if it does not compile.
 */
export function compileCreationCode(path: string, replaced: Sources, viaIR: boolean): string {
  const name = path.replace(/^.*\/|\.sol$/g, "");
  const output = compile(readSources(path, replaced), { [path]: { [name]: ["evm.bytecode.object"] } }, viaIR);
  const code = output.contracts?.[path]?.[name]?.evm.bytecode.object;
  const errors = formatErrors(output);
  if (errors !== "" || !code) throw new Error(errors || `solc gave no code of ${path}`);
  return code;
}

const formatErrors = (output: CompilerOutput) =>
  (output.errors ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ formattedMessage }) => formattedMessage)
    .join("\n");

function compile(sources: Sources, outputSelection: object, viaIR: boolean): CompilerOutput {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...sources].map(([path, content]) => [path, { content }])),
    settings: {
      remappings: ["solady/=node_modules/solady/src/"],
      optimizer: { enabled: true, runs: 1 },
      evmVersion: "cancun",
      viaIR,
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection,
    },
  };
  return JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
}
