import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { isPureTest } from "./tests/support/isPureTest.ts";
import { compileCacheFolder } from "./tests/support/programEnvironment.ts";
import { LongestFirst } from "./tools/longestFirst.ts";

// Inherited by the workers and by the programs that they start.
process.env.NODE_COMPILE_CACHE ??= compileCacheFolder;

const second = 1_000;

/** Deadlines that only bound a hang: ten times what a quiet machine needs, because others need four times as long. */
const deadlines = {
  testTimeout: 300 * second,
  hookTimeout: 300 * second,
  // A poll costs CPU time; in a browser test, it passes through four processes.
  expect: { poll: { timeout: 120 * second, interval: 100 } },
} as const;
/**
 * Node imports the modules, as in production, which saves 0.4 seconds of CPU time for each worker. Coverage, the watch mode
 * and tests of the site (`.tsx`, reloaded modules) need Vite.
 */
const isNative = process.argv.includes("run") && !process.argv.some((argument) => argument.startsWith("--coverage"));
const native = { experimental: { viteModuleRunner: !isNative, nodeLoader: false } } as const;
/** Tests of real processes: what a machine does beside them can fail one of them once. It is named as flaky then. */
const processes = { ...deadlines, ...native, retry: 1 } as const;
/** Tests over one stack of the whole project, which they would change for each other. */
const oneStack = { ...processes, fileParallelism: false } as const;

/** Tests that lie beside their module. */
const unitTests = [
  "packages/{cli,mcp,protocol,quant,sdk}/{src,test}/**/*.test.ts",
  "apps/server/src/**/*.test.ts",
  "apps/web/src/**/*.test.{ts,tsx}",
  "tools/**/*.test.ts",
  "contracts/tools/*.test.ts",
  "tests/support/**/*.test.ts",
];
const pureTests = globSync(unitTests, { cwd: import.meta.dirname, exclude: ["**/node_modules/**"] }).filter((path) =>
  isPureTest(join(import.meta.dirname, path)),
);

/**
 * The projects of `npm test`; `vitest run --project <name>` runs one alone. With `--coverage` the report also counts
 * what no test loads.
 */
export default defineConfig({
  test: {
    pool: "forks",
    // A worker often waits for its processes. Beside another run, one worker more makes the runs no shorter, and each test
    // a third longer.
    maxWorkers: Math.min(8, availableParallelism() + (process.env.TEST_BESIDE === undefined ? 1 : 0)),
    // A worker loads the modules of the server once, not once a file, which takes a second of CPU time. No module has
    // state with a lifetime (CONTRIBUTING), so files do not see each other.
    isolate: false,
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["tests/support/setup.ts"],
    globalSetup: ["tests/support/memoryFolder.ts", "tests/support/database/templateServer.ts"],
    teardownTimeout: 30 * second,
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts", "apps/server/src/**/*.ts", "apps/web/src/**/*.{ts,tsx}", "dev/src/**/*.ts"],
      exclude: ["packages/protocol/src/contracts/**", "**/*.test.{ts,tsx}"],
      reporter: ["text-summary", "json-summary", "html"],
      reportsDirectory: "coverage",
    },
    projects: [
      { extends: true, test: { name: "pure", include: pureTests, ...deadlines } },
      { extends: true, test: { name: "unit", include: unitTests, exclude: pureTests, ...processes } },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["packages/deploy/{src,test}/**/*.test.ts", "dev/{src,test}/**/*.test.ts"],
          ...processes,
        },
      },
      // Only when named: installs an embedded ClickHouse, and starts a cluster.
      { extends: true, test: { name: "engine", include: ["tests/engine/**/*.test.ts"], ...deadlines, ...native } },
      {
        extends: true,
        test: { name: "simulation", include: ["tests/simulation/**/*.test.ts"], ...deadlines, ...native },
      },
      {
        extends: true,
        test: {
          name: "resilience",
          include: ["tests/resilience/**/*.test.ts", "tests/e2e/**/*.test.ts"],
          ...processes,
        },
      },
      { extends: true, test: { name: "security", include: ["tests/security/*.test.ts"], ...processes } },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          globalSetup: ["tests/support/browser/globalSetup.ts"],
          ...processes,
        },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["tests/conformance/**/*.test.ts"],
          globalSetup: ["tests/support/conformance/globalSetup.ts"],
          ...oneStack,
        },
      },
      {
        extends: true,
        test: {
          name: "fuzz",
          include: ["tests/security/fuzz/**/*.test.ts"],
          globalSetup: ["tests/support/fuzz/globalSetup.ts"],
          ...oneStack,
        },
      },
    ],
  },
});
