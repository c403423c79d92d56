// The stored results of mutation runs: contracts/mutationResults.json, one line for each mutant. A run that is
// interrupted, or that covers only some mutants, adds to them. A change of the contracts, or of shared test code,
// discards all results; a change of the test that killed a mutant discards only this mutant's result.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./generateMutants.ts";
import type { MutantResult, Verdict } from "./mutateWorker.ts";
import { repositoryRoot } from "./mutationCompiler.ts";
import { isExcludedTest } from "./runMutantTests.ts";

/** The file with the results of this repository's runs. */
export const resultsFile = join(repositoryRoot, "contracts", "mutationResults.json");

/** `results`: the verdict and the killing test by mutant. `tests`: the hash of the files of each killing test. */
interface StoredResults {
  sources: string;
  tests: Record<string, string>;
  results: Record<string, string>;
}

export class MutationResults {
  readonly #file: string;
  readonly #sources: string;
  readonly #tests: ReadonlyMap<string, string>;
  readonly #killerHashes = new Map<string, string>();
  readonly #results = new Map<string, string>();

  /** @param contracts The folder with the mutated sources in `src` and the tests in `test`. */
  constructor(file: string, contracts: string) {
    this.#file = file;
    const tests = readSources(join(contracts, "test")).filter(([name]) => !isExcludedTest(join("test", name)));
    const shared = tests.filter(([name]) => !name.endsWith(".t.sol"));
    this.#tests = new Map(tests.filter(([name]) => name.endsWith(".t.sol")));
    this.#sources = hash([...readSources(join(contracts, "src")), ...shared].flat());
    if (!existsSync(file)) return;
    const stored = JSON.parse(readFileSync(file, "utf8")) as StoredResults;
    if (stored.sources !== this.#sources) return;
    for (const [key, result] of Object.entries(stored.results)) {
      const killer = result.split(" ")[1] ?? "";
      if (stored.tests[killer] === this.#hashKiller(killer)) this.#results.set(key, result);
    }
  }

  /** Returns the stored result of a mutant; undefined if it has not run on these sources. */
  get(mutant: Mutant): MutantResult | undefined {
    const [verdict, killedBy = ""] = this.#results.get(getKey(mutant))?.split(" ") ?? [];
    return verdict === undefined ? undefined : { mutant, verdict: verdict as Verdict, killedBy };
  }

  /** Stores a result immediately, so that an interruption loses none. */
  add({ mutant, verdict, killedBy }: MutantResult): void {
    this.#results.set(getKey(mutant), `${verdict} ${killedBy}`.trim());
    const results = Object.fromEntries([...this.#results].sort(([a], [b]) => (a < b ? -1 : 1)));
    const killers = [...new Set(Object.values(results).map((result) => result.split(" ")[1] ?? ""))].sort();
    const tests = Object.fromEntries(killers.map((killer) => [killer, this.#hashKiller(killer)]));
    const stored: StoredResults = { sources: this.#sources, tests, results };
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(stored, null, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Returns the hash of the files that define a test; of all tests if no file does, or if no single test decided. */
  #hashKiller(killer: string): string {
    const known = this.#killerHashes.get(killer);
    if (known !== undefined) return known;
    const own = killer === "" ? [] : [...this.#tests].filter(([, text]) => text.includes(`function ${killer}(`));
    const hashed = hash((own.length > 0 ? own : [...this.#tests]).flat());
    this.#killerHashes.set(killer, hashed);
    return hashed;
  }
}

/** Includes the place in the source, because two mutants of one line can have the same text. */
const getKey = ({ path, start, length, mutated }: Mutant) => hash([path, String(start), String(length), mutated]);

/** Returns the first 16 hex digits of SHA-256, which is enough for some thousand mutants. */
function hash(texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);
}

/** Returns the name and the text of every Solidity file of a folder. */
function readSources(folder: string): [name: string, text: string][] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".sol"));
  return files.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}
