// The stored results of mutation runs: .cache/mutation/results.json. A run that is interrupted, or that covers a part of
// the mutants, adds to them; a change of the sources discards them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./generateMutants.ts";
import { repositoryRoot } from "./mutationCompiler.ts";
import type { MutantResult } from "./mutateWorker.ts";

/** Where runs of this repository store their results. */
export const resultsFile = join(repositoryRoot, ".cache", "mutation", "results.json");

interface StoredResults {
  sourcesHash: string;
  results: MutantResult[];
}

export class MutationResults {
  readonly #file: string;
  readonly #sourcesHash: string;
  readonly #results = new Map<string, MutantResult>();

  /** @param sources The folder of the mutated sources. */
  constructor(file: string, sources: string) {
    this.#file = file;
    this.#sourcesHash = hashSources(sources);
    if (!existsSync(file)) return;
    const stored = JSON.parse(readFileSync(file, "utf8")) as Partial<StoredResults>;
    if (stored.sourcesHash !== this.#sourcesHash) return;
    for (const result of stored.results ?? []) this.#results.set(getKey(result.mutant), result);
  }

  /** The stored result of a mutant; undefined if it has not run on these sources. */
  get(mutant: Mutant): MutantResult | undefined {
    return this.#results.get(getKey(mutant));
  }

  /** Stores a result at once, so that an interruption loses none. */
  add(result: MutantResult): void {
    this.#results.set(getKey(result.mutant), result);
    const stored: StoredResults = { sourcesHash: this.#sourcesHash, results: [...this.#results.values()] };
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(stored)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Two mutants of one line can read the same: the place in the source differs. */
const getKey = ({ path, start, length, mutated }: Mutant) => `${path}:${start}:${length}:${mutated}`;

function hashSources(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".sol"));
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}
