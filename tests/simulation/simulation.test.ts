import { afterAll, beforeAll, expect, test } from "vitest";
import { openSimulationIndex, type SimulationIndex } from "../support/simulation/openSimulationIndex.ts";
import { regressionSeeds } from "../support/simulation/regressionSeeds.ts";
import { simulate } from "../support/simulation/simulate.ts";
import { getVolume } from "../support/volume.ts";

/** SEEDS=10000 runs the long campaign, SEED=7 one seed. */
const only = process.env.SEED === undefined ? null : Number(process.env.SEED);
const count = getVolume(200, "SEEDS", 20);
/** FIRST=200 starts after the seeds that CI runs. */
const start = Number(process.env.FIRST ?? 0);
const perTest = 10;

let index: SimulationIndex;

beforeAll(async () => {
  index = await openSimulationIndex();
  // A busy machine must not add faults to those of the seed: a seed is deterministic.
  for (const { options } of [index.indexer.indexer, index.indexer.pipelined, index.pool])
    options.connectionTimeoutMillis = 60_000;
});
afterAll(async () => {
  await index?.close();
});

async function run(seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await index.empty();
    const { parameters, problems, ...counts } = await simulate(index.indexer, index.pool, seed);
    if (process.env.PRINT) console.log(JSON.stringify({ ...counts, ...parameters }));
    // Printed immediately: vitest prints failures of a long campaign at its end.
    if (problems.length > 0) console.error(`seed ${seed}:\n${problems.join("\n")}`);
    expect(problems, JSON.stringify(parameters)).toEqual([]);
  }
}

if (only !== null) {
  test(`seed ${only} ends with every table equal to the reference`, () => run([only]));
} else {
  test("two serial runs of one seed draw the same random numbers", async () => {
    for (const seed of [3, 7, 41]) {
      const draws: number[] = [];
      for (let run = 0; run < 2; run++) {
        await index.empty();
        draws.push((await simulate(index.indexer, index.pool, seed, true)).draws);
      }
      expect(draws[0], `seed ${seed}`).toBe(draws[1]);
    }
  });
  test.each(regressionSeeds)("seed $seed, which failed once ($why), ends equal", ({ seed }) => run([seed]));
  const batches = Array.from({ length: Math.ceil(count / perTest) }, (_, i) => start + i * perTest);
  test.each(batches)(
    "C2-01 to C2-20: 10 seeds from %i on end with every table and every client equal to the reference",
    (first) => run(Array.from({ length: Math.min(perTest, start + count - first) }, (_, i) => first + i)),
  );
}
