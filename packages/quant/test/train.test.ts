import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { learnPrior } from "../train/expectationMaximization.ts";
import { learnMoves } from "../train/learnMoves.ts";
import { fitLeastSquares } from "../train/leastSquares.ts";
import { readInput } from "../train/readSeries.ts";

function createNormal(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe("training", () => {
  it("recovers mean and spread of coefficients over many series", () => {
    const normal = createNormal(5);
    const series = Array.from({ length: 60 }, () => {
      const coefficient = 0.5 + 0.1 * normal();
      const values = new Float64Array(250);
      for (let t = 1; t < values.length; t++) values[t] = coefficient * values[t - 1]! + normal();
      return values;
    });
    const prior = learnPrior(series, { lags: [1], season: 1 });
    expect(Math.abs(prior.mean[0]! - 0.5)).toBeLessThan(0.06);
    const deviation = 1 / Math.sqrt(prior.precision[0]!);
    expect(deviation).toBeGreaterThan(0.05);
    expect(deviation).toBeLessThan(0.17);
  });

  it("learns that moves of a walk grow with the root of the horizon", () => {
    const normal = createNormal(9);
    const walks = Array.from({ length: 4 }, () => {
      let price = 100;
      return Array.from({ length: 6_000 }, () => {
        price *= Math.exp(0.01 * normal());
        return price;
      });
    });
    const { coefficients, multipliers } = learnMoves(walks);
    expect(Math.abs(coefficients[4]! - 0.5)).toBeLessThan(0.06);
    for (const [half, middle, wide] of multipliers) {
      expect(middle).toBeGreaterThan(half!);
      expect(wide).toBeGreaterThan(middle!);
    }
  });

  it("fits a line by least squares", () => {
    const rows = [0, 1, 2, 3].map((x) => [1, x]);
    const [intercept, slope] = fitLeastSquares(rows, [1, 3, 5, 7], 1e-12);
    expect(intercept).toBeCloseTo(1, 6);
    expect(slope).toBeCloseTo(2, 6);
  });

  it("reads rows of series and closes of bars, plain or gzipped, and hashes names and contents", () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-train-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "hourly-train.csv.gz"), gzipSync("A,1,2,3\nB,4,5,,\n"));
    writeFileSync(join(folder, "X-1h.csv"), "time,open,high,low,close\n10,1,1,1,7\n20,1,1,1,8\n");
    const { files, sha256 } = readInput(folder, /^hourly/);
    expect(files[0]!.series).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(readInput(folder, /-1h/, 20).files[0]!.series).toEqual([[7]]);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(join(folder, "hourly-train.csv.gz"), gzipSync("A,1,2,4\n"));
    expect(readInput(folder, /^hourly/).sha256).not.toBe(sha256);
    expect(() => readInput(folder, /^weekly/)).toThrow(/no file/);
  });
});
