import type { Suite } from "./suite.ts";

/** Counts a command as one check: its exit code decides. */
export const byExitCode: Suite["count"] = ({ exitCode }) =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** What `npm run lint` and `npm run typecheck` run, in this order; each is also a line of `npm test`. */
export const gates: readonly Suite[] = [
  {
    name: "biome",
    title: "Format, lint and import direction (Biome)",
    command: ["biome", "check", "--error-on-warnings", "--max-diagnostics=100"],
    count: byExitCode,
  },
  {
    name: "canary",
    title: "Canary: the linters report every planted violation",
    command: ["node", "tools/checkCanary.ts"],
    count: byExitCode,
  },
  {
    name: "oxlint",
    title: "Type-aware lint (oxlint, tsgolint)",
    command: ["oxlint", "--type-aware", "--deny-warnings"],
    count: byExitCode,
  },
  {
    name: "knip",
    title: "Unused files, exports and dependencies (knip)",
    command: ["knip", "--no-config-hints"],
    count: byExitCode,
  },
  {
    name: "sizes",
    title: "File sizes",
    command: ["node", "tools/checkFileSizes.ts"],
    count: byExitCode,
  },
  { name: "imports", title: "Imports", command: ["node", "tools/checkImports.ts"], count: byExitCode },
  { name: "words", title: "Retired words", command: ["node", "tools/checkWords.ts"], count: byExitCode },
  {
    name: "typecheck",
    title: "Types, tests included (tsc)",
    command: ["tsc", "-b"],
    count: byExitCode,
  },
];
