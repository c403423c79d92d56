import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createConfig, lint } from "@redocly/openapi-core";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { createRoutes } from "@slipway/server/http/routes";
import { apiPrefix } from "@slipway/server/route";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentPaths } from "../support/conformance/openApi.ts";
import { target } from "../support/conformance/target.ts";
import { createTypeAssertions } from "../support/conformance/typeAssertions.ts";

const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));

/** The commands and the example of docs/api.md. */
function readGuide(): { installed: string[]; commands: string[]; example: string } {
  const page = readFileSync(join(repositoryRoot, "docs/api.md"), "utf8");
  const section = /^## Generate a client\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text]) => text!);
  const lines = blocks("sh").flatMap((block) => block.trim().split("\n"));
  const isInstall = (line: string) => line.startsWith("npm install ");
  return {
    installed: lines.filter(isInstall).flatMap((line) =>
      line
        .split(" ")
        .filter((word) => /^[a-z][a-z-]*(@\d+)?$/.test(word))
        .slice(2),
    ),
    commands: lines.filter((line) => !isInstall(line)),
    example: blocks("ts").join(""),
  };
}

const { installed, commands, example } = readGuide();
const [generate, compileExample, runExample] = commands;

/** The program that compares the generated types with the schemas of the routes. */
function createAssertions() {
  const config = parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" });
  const allRoutes = createRoutes({ config, db: {}, chain: {}, metrics: { health: {} } } as unknown as Deps);
  const routes = allRoutes.filter(({ scope }) => scope !== "admin");
  return createTypeAssertions(routes, ({ site, path }) => `${site ? "" : apiPrefix}${path}`.replace(/:(\w+)/g, "{$1}"));
}

/** The folder in which npm put a package: beside the tests if the root has another version. */
const findPackage = (name: string) =>
  ["tests/node_modules", "node_modules"].map((place) => join(repositoryRoot, place, name)).find(existsSync)!;

describe("each OpenAPI document", () => {
  it("has no error and no warning in Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    for (const path of documentPaths) {
      const problems = await lint({ ref: `${target.baseUrl}${path}`, config });
      expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual(
        [],
      );
    }
  });
});

describe("a client that is generated as docs/api.md says", () => {
  const folder = temporaryFolder();
  const assertions = createAssertions();
  const run = async (command: string, environment: Record<string, string> = {}): Promise<string> => {
    const env = { ...process.env, NO_COLOR: "1", BASE_URL: target.baseUrl, ...environment };
    const child = spawn("sh", ["-c", command], { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(status, `${command}\n${output}${errors}`).toBe(0);
    return output;
  };
  const programs = { example: "example.mts", assertions: "assertions.mts", launch: "launch.mts" } as const;

  beforeAll(async () => {
    // Linked, not installed: the versions of the lock file, without a network.
    const link = (from: string, name: string) => {
      const path = join(folder.path, "node_modules", name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(from, path);
    };
    for (const name of [...installed.map((one) => one.split("@")[0]!), "ethers", "@types/node"])
      link(findPackage(name), name);
    link(join(repositoryRoot, "tests/node_modules/.bin"), ".bin");
    await run(generate!);
    writeFileSync(join(folder.path, programs.example), example);
    writeFileSync(join(folder.path, programs.assertions), assertions.program);
    cpSync(join(repositoryRoot, "tests/support/integrator", programs.launch), join(folder.path, programs.launch));
  });
  afterAll(() => folder.remove());

  it("needs the packages that the tests install, in their major versions", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "tests/package.json"), "utf8"));
    expect(installed).toEqual(["openapi-fetch", "openapi-typescript@7", "typescript@5"]);
    for (const [name, major] of installed.map((one) => one.split("@"))) {
      expect(devDependencies[name!], name).toMatch(new RegExp(`^\\^${major ?? ""}`));
    }
  });

  it("has every field of every body and answer as its schema has it: nullable or not, and enums as unions", async () => {
    expect(assertions.fields).toBeGreaterThan(500);
    expect(assertions.nullable).toBeGreaterThan(100);
    // All programs at once, because the compiler needs most of its time for the generated types.
    await run(compileExample!.replace(programs.example, Object.values(programs).join(" ")));
  });

  it("lists tokens with the example of the page", async () => {
    expect(commands).toHaveLength(3);
    const output = await run(runExample!);
    if (target.fixture !== null) expect(output).toMatch(/^[A-Z0-9]+ (0\.\d{9}|unknown)$/im);
  });

  it.skipIf(target.fixture === null)(
    "does the main job of an integrator: draft, splitter, launch, trade, claim",
    async () => {
      const [creator, trader] = target.wallets;
      const output = await run(`node ${programs.launch}`, {
        SITE_URL: target.siteUrl,
        API_KEY: target.apiKey,
        RPC_URL: target.rpcUrl!,
        CREATOR_KEY: creator!.privateKey,
        TRADER_KEY: trader!.privateKey,
      });
      expect(JSON.parse(output)).toEqual({
        listed: expect.any(Number),
        historyInterval: "1m",
        draftStatuses: [201, 200],
        retriedId: true,
        actions: ["deploy_splitter", "launch", "approve", "swap", "release"],
        splitter: true,
        name: "Integrator Ferry",
        priceIsKnown: true,
        bought: true,
        again: ["nothing_to_do", null],
        claimed: ["FERRY false", "WETH true"],
        refused: "invalid_query",
      });
    },
  );
});
