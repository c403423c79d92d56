import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { generateMutants, type Mutant } from "./generateMutants.ts";
import { repositoryRoot } from "./mutationCompiler.ts";
import { MutationResults } from "./mutationResults.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-mutation-"));
  mkdirSync(join(folder, "src", "libraries"), { recursive: true });
  writeFileSync(join(folder, "src", "A.sol"), "contract A {}");
  writeFileSync(join(folder, "src", "libraries", "B.sol"), "library B {}");
  mkdirSync(join(folder, "test", "gas"), { recursive: true });
  writeFileSync(join(folder, "test", "Base.sol"), "contract Base {}");
  writeFileSync(join(folder, "test", "A.t.sol"), "function test_A() {}");
  writeFileSync(join(folder, "test", "B.t.sol"), "function test_B() {}");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => new MutationResults(join(folder, "cache", "results.json"), folder);

function createMutant(start: number): Mutant {
  return {
    ...{ index: 0, contract: "A", path: "A.sol", line: 1, lineText: "a + a", rest: "", functionName: "f" },
    ...{ operator: "constant", original: "a", mutated: "b", start, length: 1 },
  };
}

describe("stored results of mutation runs", () => {
  test("are read by the next run, only for the same place", () => {
    const first = open();
    first.add({ mutant: createMutant(0), verdict: "survived", killedBy: "" });
    first.add({ mutant: createMutant(4), verdict: "killed", killedBy: "test_A" });
    first.add({ mutant: createMutant(0), verdict: "killed", killedBy: "test_B" });
    const next = open();
    expect(next.get(createMutant(0))).toEqual({ mutant: createMutant(0), verdict: "killed", killedBy: "test_B" });
    expect(next.get(createMutant(4))).toEqual({ mutant: createMutant(4), verdict: "killed", killedBy: "test_A" });
    expect(next.get(createMutant(8))).toBeUndefined();
  });

  test.each(["src/libraries/B.sol", "test/Base.sol"])("are discarded when %s changes", (file) => {
    open().add({ mutant: createMutant(0), verdict: "killed", killedBy: "test_A" });
    writeFileSync(join(folder, file), "library B { }");
    const next = open();
    expect(next.get(createMutant(0))).toBeUndefined();
    next.add({ mutant: createMutant(4), verdict: "killed", killedBy: "test_A" });
    const { results } = JSON.parse(readFileSync(join(folder, "cache", "results.json"), "utf8"));
    expect(Object.values(results)).toEqual(["killed test_A"]);
  });

  test("are discarded if the test that killed the mutant changes, and for a timeout if any test changes", () => {
    const first = open();
    first.add({ mutant: createMutant(0), verdict: "killed", killedBy: "test_A" });
    first.add({ mutant: createMutant(4), verdict: "killed", killedBy: "test_B" });
    first.add({ mutant: createMutant(8), verdict: "timeout", killedBy: "" });
    writeFileSync(join(folder, "test", "gas", "Gas.t.sol"), "a test that takes no part");
    expect([0, 4, 8].map((start) => open().get(createMutant(start))?.verdict)).toEqual(["killed", "killed", "timeout"]);
    writeFileSync(join(folder, "test", "A.t.sol"), "function test_A() { }");
    expect([0, 4, 8].map((start) => open().get(createMutant(start))?.verdict)).toEqual([
      undefined,
      "killed",
      undefined,
    ]);
  });
});

describe("the mutants of the contracts", () => {
  const mutants = generateMutants(repositoryRoot);

  test("cover every contract and library, with constructors and every operator", () => {
    const names = ["FeeLocker", "FeeSplitter", "GasStation", "LaunchFactory", "LaunchToken", "SplitterFactory"];
    names.push("VestingFactory", "OpeningFactory", "Opening");
    for (const name of names) {
      const own = mutants.filter(({ contract }) => contract === name);
      expect(own.some(({ functionName }) => functionName === "constructor")).toBe(true);
    }
    expect(new Set(mutants.map(({ contract }) => contract)).size).toBe(17);
    const operators = [
      ...["arithmetic operator", "arithmetic checked", "arithmetic unchecked", "assignment operator", "call removed"],
      ...["relational operator", "boolean operator", "operand removed", "unary operator removed", "assignment removed"],
      ...["guard removed", "guard widened", "condition true", "condition false", "condition negated", "event removed"],
      ...[
        "modifier removed",
        "assembly function",
        "assembly statement removed",
        "constant",
        "constant + 1",
        "constant - 1",
      ],
      ...["text changed", "arguments swapped", "components swapped", "statements swapped", "returned value"],
      ...["conditional decided", "identifier substituted", "member substituted", "payable added", "payable removed"],
      ...["function exposed", "account substituted", "element dropped", "size limited"],
    ];
    expect([...new Set(mutants.map(({ operator }) => operator))].sort()).toEqual(operators.sort());
  });
});
