// Compiles the contracts for the mutation run with npm's solc: with one optimiser run, and without the IR pipeline if
// the code compiles without it. This is several times faster than the release build. Only gas and code size differ.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSources, type Sources } from "./readSources.ts";

const solc = createRequire(import.meta.url)("solc") as { compile: (input: string) => string };

/** The repository's root. */
export const repositoryRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The copy of contracts and tests that a run uses, so that edits during the run have no effect. */
export const workingCopy = join(repositoryRoot, ".cache", "mutation", "workingCopy");

/** A node of solc's AST. Further fields depend on the node type. */
export type AstNode = { nodeType: string; src: string } & Record<string, unknown>;

const remappings = ["solady/=node_modules/solady/src/"];

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  sources?: Record<string, { ast: AstNode }>;
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
}

/** A source that does not compile. */
export class CompilationError extends Error {}

/** @returns the ASTs of a source, with resolved types, and of its imports, by path. */
export function compileAsts(path: string, root: string): { ast: AstNode; all: AstNode[] } {
  const output = compile(readSources([path], { root, remappings }), { "*": { "": ["ast"] } }, false);
  const source = output.sources?.[path];
  if (source === undefined) throw new Error(`solc gave no AST of ${path}:\n${formatErrors(output)}`);
  const own = Object.entries(output.sources ?? {}).filter(([name]) => name.startsWith("contracts/src/"));
  return { ast: source.ast, all: own.map(([, { ast }]) => ast) };
}

/**
 * Returns the creation code, as hex without prefix, of the contract with the name of the file at `path`.
 *
 * @throws CompilationError with the compiler's messages if the contract does not compile.
 */
export function compileCreationCode(path: string, replaced: Sources, viaIR: boolean): string {
  const name = path.replace(/^.*\/|\.sol$/g, "");
  const sources = readSources([path], { root: workingCopy, remappings, replaced });
  const selection = { [path]: { [name]: ["evm.bytecode.object"] } };
  let output = compile(sources, selection, viaIR, viaIR ? SHORT_STEPS : undefined);
  // The short steps may leave too many variables on the stack, which is not an error of the source.
  if (viaIR && formatErrors(output) !== "") output = compile(sources, selection, viaIR);
  const code = output.contracts?.[path]?.[name]?.evm.bytecode.object;
  const errors = formatErrors(output);
  if (errors !== "" || !code) throw new CompilationError(errors || `solc gave no code of ${path}`);
  return code;
}

const formatErrors = (output: CompilerOutput) =>
  (output.errors ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ formattedMessage }) => formattedMessage)
    .join("\n");

/**
 * Enough steps to move variables beyond the stack's reach to memory, in half the time of the default steps. Common
 * subexpression elimination of the assembly is off, which halves the remaining time.
 */
const SHORT_STEPS = "gvifnuscCTUf:";

function compile(sources: Sources, outputSelection: object, viaIR: boolean, optimizerSteps?: string): CompilerOutput {
  const details = { yul: true, cse: false, yulDetails: { stackAllocation: true, optimizerSteps } };
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...sources].map(([path, content]) => [path, { content }])),
    settings: {
      remappings,
      optimizer: { enabled: true, runs: 1, ...(optimizerSteps !== undefined && { details }) },
      evmVersion: "cancun",
      viaIR,
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection,
    },
  };
  return JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
}
