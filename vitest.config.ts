import { defineConfig } from "vitest/config";

const second = 1_000;

/** Suites that start databases, chains or whole stacks: one file at a time, since two cores carry them all. */
const heavy = {
  fileParallelism: false,
  testTimeout: 120 * second,
  hookTimeout: 180 * second,
  // The default of one second is less than a job's turn takes on a machine that does other things too.
  expect: { poll: { timeout: 30 * second } },
} as const;

/**
 * The suites of `npm test`, each a project that `vitest run --project <name>` runs alone. With `--coverage` the report
 * also counts what no test loads.
 */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    passWithNoTests: false,
    teardownTimeout: 30 * second,
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts", "apps/server/src/**/*.ts", "dev/src/**/*.ts"],
      exclude: ["packages/protocol/src/contracts/**", "**/*.test.ts"],
      reporter: ["text-summary", "json-summary", "html"],
      reportsDirectory: "coverage",
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "packages/{protocol,sdk}/src/**/*.test.ts",
            "apps/server/src/**/*.test.ts",
            "tools/test/**/*.test.ts",
          ],
          testTimeout: 30 * second,
          hookTimeout: 60 * second,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["packages/deploy/src/**/*.test.ts", "dev/src/**/*.test.ts", "tools/install.test.ts"],
          ...heavy,
        },
      },
      { extends: true, test: { name: "simulation", include: ["tests/simulation/**/*.test.ts"], ...heavy } },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["tests/conformance/**/*.test.ts"],
          globalSetup: ["tests/support/conformance/globalSetup.ts"],
          ...heavy,
        },
      },
      {
        extends: true,
        test: { name: "resilience", include: ["tests/resilience/**/*.test.ts", "tests/e2e/**/*.test.ts"], ...heavy },
      },
      { extends: true, test: { name: "security", include: ["tests/security/*.test.ts"], ...heavy } },
      {
        extends: true,
        test: {
          name: "fuzz",
          include: ["tests/security/fuzz/**/*.test.ts"],
          globalSetup: ["tests/support/fuzz/globalSetup.ts"],
          ...heavy,
        },
      },
    ],
  },
});
