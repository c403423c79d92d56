// The mutants of the contracts: one for each replacement that an operator finds in code that runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AstNode, astOf, tree } from "./mutateCompiler.ts";
import { lengthOf, offsetOf, replacementsOf } from "./mutateOperators.ts";

export type Mutant = {
  /** Number in the list of all mutants. */
  index: number;
  contract: string;
  path: string;
  line: number;
  lineText: string;
  functionName: string;
  operator: string;
  original: string;
  mutated: string;
  start: number;
  length: number;
};

/** What is mutated: fee, locker, splitter and station code, and the factory with its start price. */
export const targets: readonly string[] = [
  "FeeLocker",
  "FeeSplitter",
  "GasStation",
  "LaunchFactory",
  "libraries/FeePolicy",
  "libraries/StartPrice",
];

/** Code that no mutant can change the behaviour of, by function, with the reason. */
const skippedFunctions: Record<string, string> = {
  // Both kinds of guard guard; which one runs is told by gas alone.
  _useTransientReentrancyGuardOnlyOnMainnet: "chooses between two guards that behave alike",
};

/** @returns Every mutant of every target, in the order of the source. */
export function generateMutants(): Mutant[] {
  return targets.flatMap(mutantsOf).map((mutant, index) => ({ index, ...mutant }));
}

/** One line that tells a mutant from every other. */
export function describe({ path, line, functionName, operator, original, mutated }: Mutant): string {
  const oneLine = (text: string) => text.replace(/\s+/g, " ");
  return `${path}:${line} ${functionName} [${operator}] ${oneLine(original)} -> ${oneLine(mutated) || "(nothing)"}`;
}

/** @returns The source with the mutant's change. */
export function mutatedSource(mutant: Mutant): string {
  const source = readFileSync(join(tree, mutant.path));
  return Buffer.concat([
    source.subarray(0, mutant.start),
    Buffer.from(mutant.mutated),
    source.subarray(mutant.start + mutant.length),
  ]).toString();
}

function mutantsOf(contract: string): Omit<Mutant, "index">[] {
  const path = `contracts/src/${contract}.sol`;
  const source = readFileSync(join(tree, path));
  const slice = (start: number, length: number) => source.subarray(start, start + length).toString();
  const mutants: Omit<Mutant, "index">[] = [];
  const visit = (node: AstNode, functionName: string) => {
    const name = node.nodeType === "FunctionDefinition" ? (node.name as string) || (node.kind as string) : functionName;
    if (name in skippedFunctions || !holdsCode(node)) return;
    for (const { operator, node: at, text } of replacementsOf(node, (of) => slice(offsetOf(of), lengthOf(of)))) {
      const [start, length] = [offsetOf(at), lengthOf(at)];
      const line = slice(0, start).split("\n").length;
      const original = slice(start, length);
      if (original === text) continue;
      mutants.push({
        contract: contract.replace("libraries/", ""),
        path,
        line,
        lineText: source.toString().split("\n")[line - 1] ?? "",
        functionName: name,
        operator,
        original,
        mutated: text,
        start,
        length,
      });
    }
    for (const child of childrenOf(node)) if (!isLeftOut(node, child)) visit(child, name);
  };
  visit(astOf(path), "");
  return withoutDuplicates(mutants);
}

/** Documentation, imports, types and names hold no code; an event's or error's declaration neither. */
const codeless = new Set([
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
const holdsCode = (node: AstNode) => !codeless.has(node.nodeType);

/** A loop that does not count never ends: killed, only slowly. An address is no quantity: `address(1)` says nothing. */
const isLeftOut = (parent: AstNode, child: AstNode) =>
  child === parent.loopExpression ||
  (parent.kind === "typeConversion" && child.nodeType === "Literal" && addressType.test(typeOf(parent)));
const addressType = /^address/;
const typeOf = (node: AstNode) => (node.typeDescriptions as { typeString: string }).typeString;

function childrenOf(node: AstNode): AstNode[] {
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
