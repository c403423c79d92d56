// Generates the mutants of the contracts: one for each possible replacement in executable code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFunctionReplacements } from "./listFunctionReplacements.ts";
import { getLength, getOffset, listReplacements, type ReadText, type Replacement } from "./listReplacements.ts";
import {
  type Alternatives,
  dropElement,
  limitSize,
  listAlternatives,
  reorder,
  substitute,
  substituteAccount,
} from "./listSubstitutions.ts";
import { type AstNode, compileAsts, workingCopy } from "./mutationCompiler.ts";

export type Mutant = {
  /** The position in the list of all mutants. */
  index: number;
  contract: string;
  path: string;
  line: number;
  lineText: string;
  /** The text after the original in its line. */
  rest: string;
  functionName: string;
  operator: string;
  original: string;
  mutated: string;
  start: number;
  length: number;
};

/** The mutated sources. */
export const targets: readonly string[] = [
  "FeeLocker",
  "FeeSplitter",
  "GasStation",
  "LaunchFactory",
  "LaunchToken",
  "Opening",
  "OpeningFactory",
  "SplitterFactory",
  "Vesting",
  "VestingFactory",
  "libraries/EcdsaSignature",
  "libraries/FeePolicy",
  "libraries/LaunchTerms",
  "libraries/PoolAddress",
  "libraries/SplitterClone",
  "libraries/StartPrice",
  "libraries/TokenTransfer",
];

/** Functions whose mutants cannot change the behaviour, with the reason. */
const skippedFunctions: Record<string, string> = {
  _useTransientReentrancyGuardOnlyOnMainnet: "selects between two guards that differ only in gas",
};

/** @returns all mutants of all targets in a copy of the repository, in source order. */
export function generateMutants(root: string): Mutant[] {
  return targets.flatMap((target) => listMutants(target, root)).map((mutant, index) => ({ index, ...mutant }));
}

/** Returns one line that identifies a mutant. */
export function describe({ path, line, functionName, operator, original, mutated }: Mutant): string {
  const oneLine = (text: string) => text.replace(/\s+/g, " ");
  return `${path}:${line} ${functionName} [${operator}] ${oneLine(original)} -> ${oneLine(mutated) || "(empty)"}`;
}

/** @returns the source with the change of the mutant. */
export function createMutatedSource(mutant: Mutant): string {
  const source = readFileSync(join(workingCopy, mutant.path));
  return Buffer.concat([
    source.subarray(0, mutant.start),
    Buffer.from(mutant.mutated),
    source.subarray(mutant.start + mutant.length),
  ]).toString();
}

function listMutants(contract: string, root: string): Omit<Mutant, "index">[] {
  const path = `contracts/src/${contract}.sol`;
  const source = readFileSync(join(root, path));
  const slice = (start: number, length: number) => source.subarray(start, start + length).toString();
  const readText = (of: AstNode) => slice(getOffset(of), getLength(of));
  const { ast, all } = compileAsts(path, root);
  const alternatives = listAlternatives(all);
  const mutants: Omit<Mutant, "index">[] = [];
  const visit = (node: AstNode, functionName: string) => {
    const name = node.nodeType === "FunctionDefinition" ? (node.name as string) || (node.kind as string) : functionName;
    if (Object.hasOwn(skippedFunctions, name) || !containsCode(node)) return;
    for (const { operator, node: at, text } of listAll(node, alternatives, readText)) {
      const [start, length] = [getOffset(at), getLength(at)];
      const line = slice(0, start).split("\n").length;
      const original = slice(start, length);
      if (original === text) continue;
      mutants.push({
        contract: contract.replace("libraries/", ""),
        path,
        line,
        lineText: source.toString().split("\n")[line - 1] ?? "",
        rest: source
          .subarray(start + length)
          .toString()
          .split("\n", 1)[0] as string,
        functionName: name,
        operator,
        original,
        mutated: text,
        start,
        length,
      });
    }
    for (const child of getChildren(node)) if (!isExcluded(node, child)) visit(child, name);
  };
  visit(ast, "");
  return withoutDuplicates(mutants);
}

function listAll(node: AstNode, alternatives: Alternatives, readText: ReadText): Replacement[] {
  const swaps = node.nodeType === "Block" || node.nodeType === "UncheckedBlock" ? reorder(node, readText) : [];
  return [
    ...listReplacements(node, readText),
    ...listFunctionReplacements(node, readText),
    ...substitute(node, alternatives, readText),
    ...substituteAccount(node, readText),
    ...dropElement(node, readText),
    ...limitSize(node, readText),
    ...swaps,
  ];
}

/** Node types without executable code. */
const typesWithoutCode = new Set([
  "StructuredDocumentation",
  "ImportDirective",
  "InheritanceSpecifier",
  "StructDefinition",
  "EventDefinition",
  "ErrorDefinition",
  "OverrideSpecifier",
  "Mapping",
  "ArrayTypeName",
  "UserDefinedTypeName",
  "ParameterList",
]);
const containsCode = (node: AstNode) => !typesWithoutCode.has(node.nodeType);

/** Loop increments (the mutant would not terminate) and address literals (not quantities) are not mutated. */
const isExcluded = (parent: AstNode, child: AstNode) =>
  child === parent.loopExpression ||
  (parent.kind === "typeConversion" && child.nodeType === "Literal" && addressType.test(getType(parent)));
const addressType = /^address/;
const getType = (node: AstNode) => (node.typeDescriptions as { typeString: string }).typeString;

function getChildren(node: AstNode): AstNode[] {
  const isNode = (value: unknown): value is AstNode =>
    typeof value === "object" && value !== null && "nodeType" in value && "src" in value;
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function withoutDuplicates(mutants: Omit<Mutant, "index">[]): Omit<Mutant, "index">[] {
  const seen = new Set<string>();
  return mutants.filter(({ start, length, mutated }) => {
    const key = `${start}:${length}:${mutated}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
