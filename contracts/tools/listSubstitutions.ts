// The mutation operators that involve more than one node: another variable or struct member of the same type, and two
// statements in the opposite order.
import { getLength, getOffset, getType, type ReadText, type Replacement } from "./listReplacements.ts";
import type { AstNode } from "./mutationCompiler.ts";

/** The alternative names of an identifier or a member, by the id of its declaration. */
export type Alternatives = ReadonlyMap<number, readonly string[]>;

/** The maximum number of names for one use; more of them would fail in the same way. */
const MAX_NAMES = 2;

/**
 * Returns the alternatives of a contract's names, all of the same type: other variables of the function for a variable
 * of a function, other state variables for a state variable, other members for a struct's member.
 *
 * @param asts The contract's source and its imported sources.
 */
export function listAlternatives(asts: readonly AstNode[]): Alternatives {
  const alternatives = new Map<number, string[]>();
  for (const ast of asts) {
    walk(ast, (node) => {
      if (node.nodeType === "StructDefinition") relate(node.members as AstNode[], alternatives);
      if (node.nodeType === "ContractDefinition") {
        relate(
          (node.nodes as AstNode[]).filter(({ nodeType }) => nodeType === "VariableDeclaration"),
          alternatives,
        );
      }
      if (node.nodeType === "FunctionDefinition") relate(listVariables(node), alternatives);
    });
  }
  return alternatives;
}

/** Replaces a use of a name. A declaration has other nodes, so it keeps its name. */
export function substitute(node: AstNode, alternatives: Alternatives, readText: ReadText): Replacement[] {
  const names = alternatives.get(node.referencedDeclaration as number) ?? [];
  if (node.nodeType === "Identifier") {
    return names.map((text) => ({ operator: "identifier substituted", node, text }));
  }
  if (node.nodeType !== "MemberAccess") return [];
  const owner = readText(node.expression as AstNode);
  return names.map((name) => ({ operator: "member substituted", node, text: `${owner}.${name}` }));
}

/** Accounts of the same role: the holder, and the account that may accept the role. */
const sameRole: Readonly<Record<string, string>> = {
  treasury: "proposedTreasury",
  proposedTreasury: "treasury",
  owner: "proposedOwner",
  proposedOwner: "owner",
};

/** Names of the account for which a call acts. `msg.sender` may be another account. */
const actingAccounts: ReadonlySet<string> = new Set(["creator", "payee", "partner"]);

/**
 * Replaces an account by one of the same role: the holder of a role by the proposed holder, the account for which a call
 * acts by the caller.
 */
export function substituteAccount(node: AstNode, readText: ReadText): Replacement[] {
  if (node.nodeType !== "Identifier" && node.nodeType !== "MemberAccess") return [];
  if (!/^(address|function \(\) view external returns \(address\))$/.test(getType(node))) return [];
  const operator = "account substituted";
  const name = (node.nodeType === "Identifier" ? node.name : node.memberName) as string;
  const owner = node.nodeType === "MemberAccess" ? `${readText(node.expression as AstNode)}.` : "";
  const other = sameRole[name];
  if (other !== undefined) return [{ operator, node, text: `${owner}${other}` }];
  return actingAccounts.has(name) && node.lValueRequested !== true ? [{ operator, node, text: "msg.sender" }] : [];
}

/**
 * Drops the first or the last element of a list: of a loop `for (uint256 i; i < count; ++i)`.
 */
export function dropElement(node: AstNode, readText: ReadText): Replacement[] {
  if (node.nodeType !== "ForStatement") return [];
  const condition = node.condition as AstNode;
  const start = node.initializationExpression as AstNode;
  const index = readText((condition as { leftExpression?: AstNode }).leftExpression ?? condition);
  const isPlain = condition.operator === "<" && readText(start) === `uint256 ${index}`;
  if (!isPlain) return [];
  const bound = readText(child(condition, "rightExpression"));
  const operator = "element dropped";
  return [
    { operator, node: condition, text: `${index} + 1 < ${bound}` },
    { operator, node: start, text: `uint256 ${index} = 1` },
  ];
}

/** 2^64 base units are 18.4 of an asset with 18 decimals: more than most tests move. */
const manyUnits = "1 << 64";

/** Executes a statement only for amounts below 2^64, so that a test of a greater amount is needed. */
export function limitSize(node: AstNode, readText: ReadText): Replacement[] {
  if (node.nodeType !== "ExpressionStatement" && node.nodeType !== "EmitStatement") return [];
  const amount = findAmount(node);
  if (amount === null) return [];
  const end = getEnd(node, readText);
  const [, , file] = node.src.split(":");
  const whole: AstNode = { nodeType: "Span", src: `${getOffset(node)}:${end - getOffset(node)}:${file}` };
  return [
    { operator: "size limited", node: whole, text: `if (${readText(amount)} < ${manyUnits}) ${readText(whole)}` },
  ];
}

/** Returns the first variable that a statement reads and whose name says that it is an amount. */
function findAmount(node: AstNode): AstNode | null {
  const name = (
    node.nodeType === "Identifier" ? node.name : node.nodeType === "MemberAccess" ? node.memberName : ""
  ) as string;
  if (/^uint(96|120|128|256)$/.test(getType(node)) && /amount|unspent|collected|placed|value$/i.test(name)) return node;
  // A plain assignment does not read its target.
  const skipped = node.nodeType === "Assignment" && node.operator === "=" ? node.leftHandSide : null;
  for (const value of Object.values(node).flat()) {
    if (value === skipped || !isNode(value)) continue;
    const found = findAmount(value);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Swaps adjacent statements if one of them makes a call or emits an event that reads what the other one writes. The
 * order of other pairs is not observable by a caller.
 */
export function reorder(block: AstNode, readText: ReadText): Replacement[] {
  const statements = block.statements as AstNode[];
  return statements.slice(1).flatMap((second, index) => {
    const first = statements[index] as AstNode;
    if (!isOrdered(first, second, readText)) return [];
    const [start, end] = [getOffset(first), getEnd(second, readText)];
    const [, , file] = first.src.split(":");
    const getText = (from: number, to: number) => readText({ nodeType: "Span", src: `${from}:${to - from}:${file}` });
    const firstText = getText(start, getEnd(first, readText));
    const between = getText(getEnd(first, readText), getOffset(second));
    const text = `${getText(getOffset(second), end)}${between}${firstText}`;
    const node: AstNode = { nodeType: "Span", src: `${start}:${end - start}:${file}` };
    return [{ operator: "statements swapped", node, text }];
  });
}

function isOrdered(first: AstNode, second: AstNode, readText: ReadText): boolean {
  const kinds = [getKind(first), getKind(second)];
  if (kinds.includes(null) || kinds[0] === kinds[1]) return false;
  if (kinds.includes("call")) return true;
  const [write, reader] = kinds[0] === "assignment" ? [first, second] : [second, first];
  if (getKind(write) !== "assignment") return false;
  const target = readText(child(write, "expression")).split(/[^\w.]/)[0] as string;
  return readText(reader).includes(target);
}

function getKind(statement: AstNode): "assignment" | "call" | "event" | "guard" | null {
  if (statement.nodeType === "EmitStatement") return "event";
  if (statement.nodeType === "IfStatement") {
    const body = child(statement, "trueBody");
    return body.nodeType === "RevertStatement" || body.nodeType === "Block" ? "guard" : null;
  }
  if (statement.nodeType !== "ExpressionStatement") return null;
  return child(statement, "expression").nodeType === "FunctionCall" ? "call" : "assignment";
}

/** The span of an expression statement or of an event lacks the `;`. */
function getEnd(statement: AstNode, readText: ReadText): number {
  const end = getOffset(statement) + getLength(statement);
  const [, , file] = statement.src.split(":");
  return readText({ nodeType: "Span", src: `${end}:1:${file}` }) === ";" ? end + 1 : end;
}

function relate(variables: readonly AstNode[], alternatives: Map<number, string[]>): void {
  for (const variable of variables) {
    const others = variables
      .filter((other) => other !== variable && other.name !== "" && getType(other) === getType(variable))
      .map(({ name }) => name as string);
    alternatives.set(variable.id as number, others.slice(0, MAX_NAMES));
  }
}

function listVariables(definition: AstNode): AstNode[] {
  const variables: AstNode[] = [];
  walk(definition, (node) => {
    if (node.nodeType === "VariableDeclaration" && node.stateVariable !== true) variables.push(node);
  });
  return variables;
}

function walk(node: AstNode, visit: (node: AstNode) => void): void {
  visit(node);
  for (const value of Object.values(node).flat()) if (isNode(value)) walk(value, visit);
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && "nodeType" in value && "src" in value;

const child = (node: AstNode, field: string) => node[field] as AstNode;
