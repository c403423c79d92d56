// The mutation operators: map a node of solc's AST to its replacement texts.
import type { AstNode } from "./mutationCompiler.ts";

/** A replacement of the text of a node. */
export type Replacement = { operator: string; node: AstNode; text: string };

/** Reads the source text of a node. */
export type ReadText = (node: AstNode) => string;

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

const operators: Record<string, (node: AstNode, readText: ReadText) => Replacement[]> = {
  BinaryOperation: binary,
  UnaryOperation: (node, readText) =>
    node.operator === "!" || node.operator === "-"
      ? [{ operator: "unary operator removed", node, text: `(${readText(child(node, "subExpression"))})` }]
      : [],
  Conditional: (node, readText) =>
    ["trueExpression", "falseExpression"].map((branch) => ({
      operator: "conditional decided",
      node,
      text: `(${readText(child(node, branch))})`,
    })),
  IfStatement: condition,
  Assignment: (node, readText) =>
    (compound[node.operator as string] ?? []).map((operator) => ({
      operator: "assignment operator",
      node,
      text: `${readText(child(node, "leftHandSide"))} ${operator} ${readText(child(node, "rightHandSide"))}`,
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
      ? [
          { operator: "constant + 1", node, text: `add(${node.value as string}, 1)` },
          { operator: "constant - 1", node, text: `sub(${node.value as string}, 1)` },
        ]
      : [],
  YulExpressionStatement: (node) => [{ operator: "assembly statement removed", node, text: "" }],
  YulAssignment: (node) => [{ operator: "assembly statement removed", node, text: "" }],
};

/** Returns all replacements of a node, without those of its children. */
export function listReplacements(node: AstNode, readText: ReadText): Replacement[] {
  return operators[node.nodeType]?.(node, readText) ?? [];
}

function binary(node: AstNode, readText: ReadText): Replacement[] {
  const operator = node.operator as string;
  const [left, right] = [
    `(${readText(child(node, "leftExpression"))})`,
    `(${readText(child(node, "rightExpression"))})`,
  ];
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

/**
 * For a guard, returns its removal and a wider guard that accepts half of the rejected values. Omits a guard that
 * always reverts, because any passing test would kill it.
 */
function condition(node: AstNode, readText: ReadText): Replacement[] {
  const body = child(node, "trueBody");
  const statements = (body.statements as AstNode[] | undefined) ?? [body];
  const isGuard = statements.every(({ nodeType }) => nodeType === "RevertStatement");
  const at = child(node, "condition");
  const removed = { operator: isGuard ? "guard removed" : "condition false", node: at, text: "false" };
  const negated = { operator: "condition negated", node: at, text: `!(${readText(at)})` };
  if (!isGuard) return [removed, { operator: "condition true", node: at, text: "true" }, negated];
  return [removed, negated, ...widened(at, readText)];
}

/** Returns each inequality of a guard's condition as an order. */
function widened(node: AstNode, readText: ReadText): Replacement[] {
  if (node.nodeType !== "BinaryOperation") return [];
  const [left, right] = [child(node, "leftExpression"), child(node, "rightExpression")];
  if (node.operator === "||" || node.operator === "&&")
    return [...widened(left, readText), ...widened(right, readText)];
  if (node.operator !== "!=" || !/^(u?int\d+|address|int_const)/.test(getType(left))) return [];
  // A non-zero unsigned value is greater than zero.
  if (/^uint\d+$/.test(getType(left)) && readText(right) === "0") return [];
  return ["<", ">"].map((order) => ({
    operator: "guard widened",
    node,
    text: `(${readText(left)} ${order} ${readText(right)})`,
  }));
}

/** Replaces the statement by an empty block, so that an `if` without braces stays valid. solc's span lacks the `;`. */
function removed(node: AstNode, what: string): Replacement[] {
  const [start, length, file] = node.src.split(":");
  const span = { nodeType: "Span", src: `${start}:${Number(length) + 1}:${file}` };
  return [{ operator: `${what} removed`, node: span, text: "{}" }];
}

function returned(node: AstNode): Replacement[] {
  const expression = node.expression as AstNode | undefined;
  if (expression === undefined || expression === null) return [];
  const type = getType(expression);
  const replace = (text: string) => [{ operator: "returned value", node: expression, text }];
  if (type === "bool") return ["true", "false"].flatMap(replace);
  if (/^(u?int\d+|int_const)/.test(type)) return replace("0");
  if (type.startsWith("address")) return replace("address(0)");
  if (type === "bytes32") return replace("bytes32(0)");
  return [];
}

function literal(node: AstNode, readText: ReadText): Replacement[] {
  const type = getType(node);
  if (node.kind === "string" || node.kind === "hexString") return changedText(node, readText);
  if (node.kind === "bool") {
    return [{ operator: "constant", node, text: node.value === "true" ? "false" : "true" }];
  }
  if (node.kind !== "number" || type.startsWith("address")) return [];
  const text = readText(node);
  const more = { operator: "constant + 1", node, text: `(${text} + 1)` };
  return type === "int_const 0" ? [more] : [more, { operator: "constant - 1", node, text: `(${text} - 1)` }];
}

/** Changes the last character, or the last byte of hex bytes. An empty text gets a character. */
function changedText(node: AstNode, readText: ReadText): Replacement[] {
  const text = readText(node);
  if (text === '""') return [{ operator: "text changed", node, text: '"x"' }];
  const last = text.at(-2) as string;
  const other = node.kind === "hexString" ? (last === "0" ? "1" : "0") : last === "x" ? "y" : "x";
  return [{ operator: "text changed", node, text: `${text.slice(0, -2)}${other}${text.at(-1)}` }];
}

function swappedArguments(node: AstNode, readText: ReadText): Replacement[] {
  const callee = node.expression as AstNode & { memberName?: string };
  if (node.kind === "typeConversion" || callee.memberName === "encodePacked") return [];
  return swaps(node.arguments as AstNode[], readText, "arguments swapped");
}

function swappedComponents(node: AstNode, readText: ReadText): Replacement[] {
  const components = (node.components as (AstNode | null)[]).filter((component) => component !== null);
  const isDeclared = components.length !== (node.components as unknown[]).length;
  return isDeclared || node.lValueRequested === true ? [] : swaps(components, readText, "components swapped");
}

/** Swaps adjacent nodes of the same type. The text between them stays. */
function swaps(nodes: AstNode[], readText: ReadText, operator: string): Replacement[] {
  return nodes.slice(1).flatMap((second, index) => {
    const first = nodes[index] as AstNode;
    if (getType(first) !== getType(second) || readText(first) === readText(second)) return [];
    const [start, end] = [getOffset(first), getOffset(second) + getLength(second)];
    const [, , file] = first.src.split(":");
    const whole: AstNode = { nodeType: "Span", src: `${start}:${end - start}:${file}` };
    const between = readText({
      nodeType: "Span",
      src: `${start + getLength(first)}:${getOffset(second) - start - getLength(first)}:${file}`,
    });
    return [{ operator, node: whole, text: `${readText(second)}${between}${readText(first)}` }];
  });
}

export const getOffset = (node: AstNode): number => Number(node.src.split(":")[0]);
export const getLength = (node: AstNode): number => Number(node.src.split(":")[1]);

const child = (node: AstNode, field: string) => node[field] as AstNode;

export const getType = (node: AstNode): string =>
  ((node.typeDescriptions as { typeString?: string } | undefined)?.typeString ?? "")
    .replace(/ (storage|memory|calldata)( ref| pointer)?$/, "")
    .replace(/^address payable$/, "address");

/** 0x40 is the address of the free memory pointer. */
const isYulMemoryPointer = (node: AstNode) => node.value === "0x40";
