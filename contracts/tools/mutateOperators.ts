// What a mutation is: from a node of solc's AST to the texts that may stand in its place.
import type { AstNode } from "./mutateCompiler.ts";

/** A change of the text that a node covers. */
export type Replacement = { operator: string; node: AstNode; text: string };

/** Reads the source text of a node. */
export type TextOf = (node: AstNode) => string;

const relations: Record<string, string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
};
const arithmetic: Record<string, string[]> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "<<": [">>"],
  ">>": ["<<"],
  "|": ["&"],
  "&": ["|"],
};
const compound: Record<string, string[]> = { "+=": ["-=", "="], "-=": ["+=", "="] };
const yulFunctions: Record<string, string> = {
  add: "sub",
  sub: "add",
  mul: "div",
  div: "mul",
  shr: "shl",
  shl: "shr",
  and: "or",
  or: "and",
  lt: "gt",
  gt: "lt",
};

const operators: Record<string, (node: AstNode, textOf: TextOf) => Replacement[]> = {
  BinaryOperation: binary,
  UnaryOperation: (node, textOf) =>
    node.operator === "!" || node.operator === "-"
      ? [{ operator: "unary operator removed", node, text: `(${textOf(child(node, "subExpression"))})` }]
      : [],
  Conditional: (node, textOf) =>
    ["trueExpression", "falseExpression"].map((branch) => ({
      operator: "conditional decided",
      node,
      text: `(${textOf(child(node, branch))})`,
    })),
  IfStatement: condition,
  Assignment: (node, textOf) =>
    (compound[node.operator as string] ?? []).map((operator) => ({
      operator: "assignment operator",
      node,
      text: `${textOf(child(node, "leftHandSide"))} ${operator} ${textOf(child(node, "rightHandSide"))}`,
    })),
  ExpressionStatement: (node) =>
    removed(node, child(node, "expression").nodeType === "FunctionCall" ? "call" : "assignment"),
  EmitStatement: (node) => removed(node, "event"),
  Return: returned,
  Literal: literal,
  FunctionCall: swappedArguments,
  TupleExpression: swappedComponents,
  FunctionDefinition: (node) =>
    ((node.modifiers as AstNode[] | undefined) ?? [])
      .filter(({ kind }) => kind === "modifierInvocation")
      .map((modifier) => ({ operator: "modifier removed", node: modifier, text: "" })),
  YulFunctionCall: (node) => {
    const name = child(node, "functionName");
    const other = yulFunctions[name.name as string];
    return other === undefined ? [] : [{ operator: "assembly function", node: name, text: other }];
  },
  YulLiteral: (node) =>
    node.kind === "number" && !isYulMemoryPointer(node)
      ? [{ operator: "constant + 1", node, text: `add(${node.value as string}, 1)` }]
      : [],
};

/** Every replacement that a node itself allows; not those of its children. */
export function replacementsOf(node: AstNode, textOf: TextOf): Replacement[] {
  return operators[node.nodeType]?.(node, textOf) ?? [];
}

function binary(node: AstNode, textOf: TextOf): Replacement[] {
  const operator = node.operator as string;
  const [left, right] = [`(${textOf(child(node, "leftExpression"))})`, `(${textOf(child(node, "rightExpression"))})`];
  const others = relations[operator] ?? arithmetic[operator] ?? [];
  const name = operator in relations ? "relational operator" : "arithmetic operator";
  const replacements = others.map((other) => ({ operator: name, node, text: `(${left} ${other} ${right})` }));
  if (operator !== "&&" && operator !== "||") return replacements;
  const other = operator === "&&" ? "||" : "&&";
  return [
    { operator: "boolean operator", node, text: `(${left} ${other} ${right})` },
    { operator: "operand removed", node, text: left },
    { operator: "operand removed", node, text: right },
  ];
}

/** A guard that always reverts is killed by any test that passes it, and counts for nothing. */
function condition(node: AstNode): Replacement[] {
  const body = child(node, "trueBody");
  const statements = (body.statements as AstNode[] | undefined) ?? [body];
  const isGuard = statements.every(({ nodeType }) => nodeType === "RevertStatement");
  const at = child(node, "condition");
  const removed = { operator: isGuard ? "guard removed" : "condition false", node: at, text: "false" };
  return isGuard ? [removed] : [removed, { operator: "condition true", node: at, text: "true" }];
}

/** An empty block in place of the statement, which keeps an `if` without braces whole; solc's span lacks the `;`. */
function removed(node: AstNode, what: string): Replacement[] {
  const [start, length, file] = node.src.split(":");
  const span = { nodeType: "Span", src: `${start}:${Number(length) + 1}:${file}` };
  return [{ operator: `${what} removed`, node: span, text: "{}" }];
}

function returned(node: AstNode): Replacement[] {
  const expression = node.expression as AstNode | undefined;
  if (expression === undefined || expression === null) return [];
  const type = typeOf(expression);
  const replace = (text: string) => [{ operator: "returned value", node: expression, text }];
  if (type === "bool") return ["true", "false"].flatMap(replace);
  if (/^(u?int\d+|int_const)/.test(type)) return replace("0");
  if (type.startsWith("address")) return replace("address(0)");
  return [];
}

function literal(node: AstNode, textOf: TextOf): Replacement[] {
  const type = typeOf(node);
  if (node.kind === "bool") {
    return [{ operator: "constant", node, text: node.value === "true" ? "false" : "true" }];
  }
  if (node.kind !== "number" || type.startsWith("address")) return [];
  const text = textOf(node);
  const more = { operator: "constant + 1", node, text: `(${text} + 1)` };
  return type === "int_const 0" ? [more] : [more, { operator: "constant - 1", node, text: `(${text} - 1)` }];
}

function swappedArguments(node: AstNode, textOf: TextOf): Replacement[] {
  const callee = node.expression as AstNode & { memberName?: string };
  if (node.kind === "typeConversion" || callee.memberName === "encodePacked") return [];
  return swaps(node.arguments as AstNode[], textOf, "arguments swapped");
}

function swappedComponents(node: AstNode, textOf: TextOf): Replacement[] {
  const components = (node.components as (AstNode | null)[]).filter((component) => component !== null);
  const isDeclared = components.length !== (node.components as unknown[]).length;
  return isDeclared || node.lValueRequested === true ? [] : swaps(components, textOf, "components swapped");
}

/** Neighbours of one type change places; the text between them stays. */
function swaps(nodes: AstNode[], textOf: TextOf, operator: string): Replacement[] {
  return nodes.slice(1).flatMap((second, index) => {
    const first = nodes[index] as AstNode;
    if (typeOf(first) !== typeOf(second) || textOf(first) === textOf(second)) return [];
    const [start, end] = [offsetOf(first), offsetOf(second) + lengthOf(second)];
    const [, , file] = first.src.split(":");
    const whole: AstNode = { nodeType: "Span", src: `${start}:${end - start}:${file}` };
    const between = textOf({
      nodeType: "Span",
      src: `${start + lengthOf(first)}:${offsetOf(second) - start - lengthOf(first)}:${file}`,
    });
    return [{ operator, node: whole, text: `${textOf(second)}${between}${textOf(first)}` }];
  });
}

export const offsetOf = (node: AstNode): number => Number(node.src.split(":")[0]);
export const lengthOf = (node: AstNode): number => Number(node.src.split(":")[1]);

const child = (node: AstNode, field: string) => node[field] as AstNode;

const typeOf = (node: AstNode) =>
  ((node.typeDescriptions as { typeString?: string } | undefined)?.typeString ?? "")
    .replace(/ (storage|memory|calldata)( ref| pointer)?$/, "")
    .replace(/^address payable$/, "address");

/** `mload(0x40)`, the free memory pointer, is a convention and no figure of ours. */
const isYulMemoryPointer = (node: AstNode) => node.value === "0x40";
