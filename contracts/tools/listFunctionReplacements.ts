// The mutation operators that change the declaration of a function: payable or not, external or not, with or without
// checked arithmetic.
import { getOffset, getType, type ReadText, type Replacement } from "./listReplacements.ts";
import type { AstNode } from "./mutationCompiler.ts";

/**
 * Returns all replacements of a function's header and blocks. A mutant that the language does not allow is not counted.
 */
export function listFunctionReplacements(node: AstNode, readText: ReadText): Replacement[] {
  if (node.nodeType === "UncheckedBlock") {
    const body = readText(node).replace(/^unchecked\s*/, "");
    return [{ operator: "arithmetic checked", node, text: body }];
  }
  if (node.nodeType === "ContractDefinition" && node.contractKind === "contract") {
    return (node.nodes as AstNode[]).flatMap((member) => listExposed(member, readText));
  }
  const body = getBody(node);
  return body === null ? [] : [...listPayable(node, body, readText), ...listUnchecked(body, readText)];
}

function getBody(node: AstNode): AstNode | null {
  return node.nodeType === "FunctionDefinition" ? ((node.body as AstNode | undefined) ?? null) : null;
}

/** `receive` is always payable. */
function listPayable(node: AstNode, body: AstNode, readText: ReadText): Replacement[] {
  if (node.kind === "receive") return [];
  if (node.stateMutability === "payable")
    return replaceInHeader(node, body, readText, "payable removed", /\bpayable\b/, "");
  if (node.stateMutability !== "nonpayable") return [];
  if (node.kind === "constructor") {
    const [start, , file] = body.src.split(":");
    const brace: AstNode = { nodeType: "Span", src: `${start}:1:${file}` };
    return [{ operator: "payable added", node: brace, text: "payable {" }];
  }
  return replaceInHeader(node, body, readText, "payable added", /\bexternal\b/, "external payable");
}

/** Exposes a private function of a contract. Functions of libraries have no external callers. */
function listExposed(node: AstNode, readText: ReadText): Replacement[] {
  const body = getBody(node);
  if (body === null || node.visibility !== "private") return [];
  return replaceInHeader(node, body, readText, "function exposed", /\bprivate\b/, "public");
}

/** `unchecked` cannot be nested, and cannot contain the `_` of a modifier. */
function listUnchecked(body: AstNode, readText: ReadText): Replacement[] {
  const operations: AstNode[] = [];
  let isNested = false;
  walk(body, (node) => {
    if (node.nodeType === "UncheckedBlock") isNested = true;
    if (isCheckedOperation(node)) operations.push(node);
  });
  if (isNested || operations.length === 0) return [];
  return [{ operator: "arithmetic unchecked", node: body, text: `{ unchecked ${readText(body)} }` }];
}

const checkedOperators = new Set(["+", "-", "*", "+=", "-=", "*="]);

/** Excludes constant expressions, which the compiler evaluates. */
function isCheckedOperation(node: AstNode): boolean {
  if (node.nodeType === "UnaryOperation") return node.operator === "-" && node.isConstant !== true && isInteger(node);
  if (node.nodeType !== "BinaryOperation" && node.nodeType !== "Assignment") return false;
  return checkedOperators.has(node.operator as string) && isInteger(node);
}

const isInteger = (node: AstNode) => /^u?int\d+$/.test(getType(node));

function replaceInHeader(
  node: AstNode,
  body: AstNode,
  readText: ReadText,
  operator: string,
  pattern: RegExp,
  text: string,
): Replacement[] {
  const [start, file] = [getOffset(node), node.src.split(":")[2]];
  // Excludes the documentation, which precedes the node. Headers contain no comments.
  const header = readText({ nodeType: "Span", src: `${start}:${getOffset(body) - start}:${file}` });
  const found = pattern.exec(header);
  if (found === null) return [];
  const offset = start + Buffer.byteLength(header.slice(0, found.index));
  const at: AstNode = { nodeType: "Span", src: `${offset}:${found[0].length}:${file}` };
  return [{ operator, node: at, text }];
}

function walk(node: AstNode, visit: (node: AstNode) => void): void {
  visit(node);
  for (const value of Object.values(node).flat()) {
    if (typeof value === "object" && value !== null && "nodeType" in value && "src" in value)
      walk(value as AstNode, visit);
  }
}
