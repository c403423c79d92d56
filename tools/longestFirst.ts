import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The test files that took more than 20 seconds in a run of `npm test` on two cores, by its table. A long file that starts last
 * leaves the other core idle.
 */
const longFiles = new Set([
  "interruptions.test.ts",
  "main.test.ts",
  "pages.test.ts",
  "documents.test.ts",
  "trade.test.ts",
  "markets.test.ts",
  "simulation.test.ts",
  "createImageDecoder.test.ts",
  "exploreSizes.test.ts",
  "changedLogs.test.ts",
  "account.test.ts",
  "overload.test.ts",
  "shedLoad.test.ts",
  "launch.test.ts",
  "databaseUnderLoad.test.ts",
  "commitOutcome.test.ts",
  "commandLine.test.ts",
  "goodFirstChange.test.ts",
  "signals.test.ts",
  "everyOperation.test.ts",
  "rebuild.test.ts",
  "c514KilledUploads.test.ts",
  "c720RandomTradeCalls.test.ts",
  "c1111KilledPayments.test.ts",
  "interruption.test.ts",
  "c715RelayerCrashes.test.ts",
  "deliverWebhooks.test.ts",
  "streamedBars.test.ts",
  "collectBars.test.ts",
  "connection.test.ts",
  "missingLogs.test.ts",
  "replicas.test.ts",
  "badProviders.test.ts",
]);

const isLong = ({ moduleId }: TestSpecification) => longFiles.has(basename(moduleId));
const hasOwnEnvironment = ({ moduleId }: TestSpecification) =>
  readFileSync(moduleId, "utf8").startsWith("// @vitest-environment");

/**
 * Starts the long files of each project first; Vitest starts the largest files first, until it knows their durations. The
 * files with their own environment are beside each other, because Vitest ends a worker when the environment changes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const { true: special = [], false: usual = [] } = Object.groupBy(own, (file) => `${hasOwnEnvironment(file)}`);
      return [...special, ...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
    });
  }
}
