import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@slipway/dev/stack/stackFolder";
import { describe, expect, test } from "vitest";
import { createTestFolder } from "../tests/support/createTestFolder.ts";

/** Creates a checkout with an npm that counts its calls and then runs the shell script `behaviour`. */
function checkout(behaviour: string) {
  const root = createTestFolder();
  for (const folder of ["tools", "bin"]) mkdirSync(join(root, folder));
  copyFileSync(join(repositoryRoot, "tools/install.mjs"), join(root, "tools/install.mjs"));
  writeFileSync(join(root, "package-lock.json"), lockFile("1.0.0"));
  const npm = `#!/bin/sh\necho call >> ${root}/calls\n${behaviour}\n`;
  writeFileSync(join(root, "bin/npm"), npm, { mode: 0o755 });
  const calls = () =>
    existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8").split("\n").length - 1 : 0;
  return { root, calls, install: (path = `${root}/bin:/usr/bin:/bin`) => run(root, path) };
}

function lockFile(version: string): string {
  return JSON.stringify({ packages: { "": {}, "node_modules/a": { version, integrity: "sha512-a" } } });
}

function run(
  root: string,
  path: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["tools/install.mjs"],
      { cwd: root, env: { PATH: path, ...environment } },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr });
      },
    );
  });
}

const succeeds = "mkdir -p node_modules";

describe("tools/install.mjs", { timeout: 30_000 }, () => {
  test("runs npm ci only once for a lock file", async () => {
    const { install, calls } = checkout(succeeds);
    expect((await install()).code).toBe(0);
    expect(await install()).toEqual({ code: 0, output: "" });
    expect(calls()).toBe(1);
  });

  test("runs it again when the lock file has changed", async () => {
    const { root, install, calls } = checkout(succeeds);
    await install();
    writeFileSync(join(root, "package-lock.json"), lockFile("1.0.1"));
    expect((await install()).output).toContain("package-lock.json has changed");
    expect(calls()).toBe(2);
  });

  test("repeats an interrupted install", async () => {
    const { root, install, calls } = checkout(`${succeeds}; [ -f cut ] && kill -9 $PPID; true`);
    writeFileSync(join(root, "cut"), "");
    await install();
    rmSync(join(root, "cut"));
    expect((await install()).code).toBe(0);
    expect(calls()).toBe(2);
  });

  test.runIf(process.getuid?.() === 0)(
    "npm test also installs the missing programs of tests with apt-get",
    async () => {
      const { root, install } = checkout("/bin/mkdir -p node_modules");
      const bin = join(root, "bin");
      symlinkSync("/bin/sh", join(bin, "sh"));
      writeFileSync(join(bin, "pgbouncer"), "", { mode: 0o755 });
      writeFileSync(join(bin, "apt-get"), `#!/bin/sh\necho "$@" >> ${root}/installed\n`, { mode: 0o755 });
      await install(bin);
      expect(existsSync(join(root, "installed"))).toBe(false);
      rmSync(join(root, "node_modules"), { recursive: true });
      const { output } = await run(root, bin, { npm_lifecycle_event: "pretest" });
      expect(output).toContain("installing chromium-headless-shell, haproxy with apt-get");
      rmSync(join(root, "node_modules"), { recursive: true });
      const chosen = await run(root, bin, { npm_lifecycle_event: "pretest", CHROMIUM_PATH: "/opt/chrome" });
      expect(chosen.output).toContain("installing haproxy with apt-get");
      expect(readFileSync(join(root, "installed"), "utf8").split("\n")[0]).toMatch(
        / install -y .*chromium-headless-shell haproxy$/,
      );
    },
  );

  test("accepts an install by npm itself", async () => {
    const { root, install, calls } = checkout(succeeds);
    mkdirSync(join(root, "node_modules/a"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), lockFile("1.0.0"));
    expect((await install()).code).toBe(0);
    expect(calls()).toBe(0);
  });

  test("installs when npm has installed another version", async () => {
    const { root, install, calls } = checkout(succeeds);
    mkdirSync(join(root, "node_modules/a"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), lockFile("0.9.0"));
    await install();
    expect(calls()).toBe(1);
  });

  test("installs once for two concurrent calls", async () => {
    const { install, calls } = checkout(`sleep 1; ${succeeds}`);
    const [first, second] = await Promise.all([install(), install()]);
    expect([first.code, second.code, calls()]).toEqual([0, 0, 1]);
  });

  test("prints advice when the registry cannot be reached", async () => {
    const { install } = checkout("echo 'npm error code ENOTFOUND' >&2; exit 1");
    const { code, output } = await install();
    expect(code).toBe(1);
    expect(output).toContain("npm registry could not be reached");
  });

  test("prints advice when npm is missing", async () => {
    const { root, install } = checkout(succeeds);
    rmSync(join(root, "bin/npm"));
    const { code, output } = await install(join(root, "bin"));
    expect(code).toBe(1);
    expect(output).toContain("npm was not found");
  });

  test("removes node_modules/.bin, which npm ci replaces, from npm's path", async () => {
    const { root, install } = checkout(`echo "$PATH" > path; ${succeeds}`);
    await install(`${join(root, "node_modules/.bin")}:${root}/bin:/usr/bin:/bin`);
    expect(readFileSync(join(root, "path"), "utf8")).not.toContain("node_modules");
  });
});
