import { describe, expect, it } from "vitest";
import { findImportCycles, findImportProblems } from "./checkImports.ts";

const document = `
\`\`\`imports packages
server -> protocol
web -> protocol
\`\`\`
\`\`\`imports server
start.ts
http | jobs
features/*
db
config.ts ids.ts
\`\`\`
\`\`\`imports web
main.tsx
pages
features/* | shell
data
ui messages
\`\`\`
\`\`\`imports external
pg | db
zod | protocol
\`\`\`
`;

/** A tree of files that complies with the tables. */
const good: Record<string, string> = {
  "packages/protocol/src/token.ts": `import { z } from "zod";\nexport const token = z.string();\n`,
  "apps/server/src/start.ts": `import { app } from "./http/app.ts";\nimport "./jobs/prune.ts";\n`,
  "apps/server/src/http/app.ts": `import {\n  list,\n} from "../features/tokens/list.ts";\nimport "../features/gas/quote.ts";\n`,
  "apps/server/src/jobs/prune.ts": `import { pool } from "../db/pool.ts";\n`,
  "apps/server/src/features/tokens/list.ts": `import { token } from "@slipway/protocol/token";\n`,
  "apps/server/src/features/gas/quote.ts": `import type { Pool } from "../../db/pool.ts";\n`,
  "apps/server/src/db/pool.ts": `import pg from "pg";\nimport type { Config } from "../config.ts";\n`,
  "apps/server/src/config.ts": `import type { Ids } from "./ids.ts";\n`,
  "apps/web/src/main.tsx": `import { list } from "./pages/listPage.tsx";\nimport { shell } from "./shell/shell.tsx";\nimport "./styles.css";\n`,
  "apps/web/src/pages/listPage.tsx": `const table = () => import("../features/list/table.tsx");\nimport "../features/chart/chart.tsx";\n`,
  "apps/web/src/features/list/table.tsx": `import { Row } from "../../ui/row.tsx";\nimport { get } from "../../data/get.ts";\n`,
  "apps/web/src/features/chart/chart.tsx": `export {};\n`,
  "apps/web/src/shell/shell.tsx": `export {};\n`,
  "apps/web/src/data/get.ts": `import type { token } from "@slipway/protocol/token";\n`,
  "apps/web/src/ui/row.tsx": `import { en } from "../messages/en.ts";\n`,
  "apps/web/src/messages/en.ts": `export const en = {};\n`,
  "apps/server/src/ids.ts": `export type Ids = object;\n`,
};
const problemsWith = (changed: Record<string, string>) =>
  findImportProblems(new Map(Object.entries({ ...good, ...changed })), document);

describe("the gate of imports", () => {
  it("accepts a tree that complies with the tables", () => {
    expect(problemsWith({})).toEqual([]);
  });

  it.each([
    [
      "an upward import",
      { "apps/server/src/db/rows.ts": `import { app } from "../http/app.ts";\n` },
      "apps/server/src/db/rows.ts imports apps/server/src/http/app.ts: http is above db",
    ],
    [
      "an upward import of a type, in several lines",
      { "apps/server/src/db/rows.ts": `import type {\n  Start,\n} from "../start.ts";\n` },
      "apps/server/src/db/rows.ts imports apps/server/src/start.ts: start.ts is above db",
    ],
    [
      "a dynamic upward import",
      { "apps/server/src/db/rows.ts": `const app = await import("../http/app.ts");\n` },
      "apps/server/src/db/rows.ts imports apps/server/src/http/app.ts: http is above db",
    ],
    [
      "a feature that imports another feature",
      { "apps/server/src/features/gas/price.ts": `export { list } from "../tokens/list.ts";\n` },
      "apps/server/src/features/gas/price.ts imports apps/server/src/features/tokens/list.ts: features/tokens is beside features/gas",
    ],
    [
      "a component of the page that reads data itself",
      { "apps/web/src/ui/row.tsx": `import { get } from "../data/get.ts";\nimport "../messages/en.ts";\n` },
      "apps/web/src/ui/row.tsx imports apps/web/src/data/get.ts: data is above ui",
    ],
    [
      "a feature of the page that imports another feature",
      { "apps/web/src/features/chart/chart.tsx": `import { Table } from "../list/table.tsx";\n` },
      "apps/web/src/features/chart/chart.tsx imports apps/web/src/features/list/table.tsx: features/list is beside features/chart",
    ],
    [
      "a feature of the page that imports the shell",
      { "apps/web/src/features/chart/chart.tsx": `import "../../shell/shell.tsx";\n` },
      "apps/web/src/features/chart/chart.tsx imports apps/web/src/shell/shell.tsx: shell is beside features/chart",
    ],
    [
      "modules of one layer that import each other",
      { "apps/server/src/http/prune.ts": `import "../jobs/prune.ts";\n` },
      "apps/server/src/http/prune.ts imports apps/server/src/jobs/prune.ts: jobs is beside http",
    ],
    [
      "an import without an extension",
      { "apps/server/src/db/seed.ts": `import { seed } from "./queries";\n` },
      "apps/server/src/db/seed.ts imports ./queries, which is not a source of a package",
    ],
    [
      "a package that imports a forbidden package",
      { "packages/protocol/src/bad.ts": `import { app } from "@slipway/server/http/app";\n` },
      '"imports packages" does not allow protocol, server: packages/protocol/src/bad.ts',
    ],
    [
      "an external package in another module",
      { "apps/server/src/http/query.ts": `import type pg from "pg";\n` },
      '"imports external" does not allow pg, http: apps/server/src/http/query.ts',
    ],
    [
      "a built-in module in a package that may not use it",
      { "packages/protocol/src/bad.ts": `import { readFileSync } from "node:fs";\n` },
      '"imports external" does not allow node:*, protocol: packages/protocol/src/bad.ts',
    ],
    [
      "a file without a module",
      { "apps/server/src/misc/bad.ts": "export {};\n" },
      'apps/server/src/misc/bad.ts belongs to no module of "imports server"',
    ],
    [
      "a path outside of the packages",
      { "apps/server/src/db/seed.ts": `import { seed } from "../../../../bench/seed.ts";\n` },
      "apps/server/src/db/seed.ts imports ../../../../bench/seed.ts, which is not a source of a package",
    ],
    [
      "a permission that nothing uses",
      { "packages/protocol/src/token.ts": "export const token = 1;\n" },
      '"imports external" is out of date, no import is zod, protocol',
    ],
  ])("reports %s", (_, changed, problem) => {
    expect(problemsWith(changed)).toEqual([problem]);
  });

  it("reports a module of the table that no longer exists", () => {
    const files = new Map(Object.entries(good));
    files.delete("apps/server/src/start.ts");
    expect(findImportProblems(files, document)).toEqual(['"imports server" is out of date, there is no start.ts']);
  });

  it("reports a cycle of imports, through types too", () => {
    const files = new Map(Object.entries(good));
    expect(findImportCycles(files)).toEqual([]);
    files.set("apps/server/src/ids.ts", `import type { Config } from "./config.ts";\n`);
    expect(findImportCycles(files)).toEqual([
      "import cycle: apps/server/src/config.ts -> apps/server/src/ids.ts -> apps/server/src/config.ts",
    ]);
  });
});
