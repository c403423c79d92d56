import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, describe, expect, it, vi } from "vitest";
import { findChromium, installChromium, missingChromium } from "./findChromium.ts";
import { launchChromium } from "./launchChromium.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

function addProgram(path: string): string {
  mkdirSync(join(folder.path, path, ".."), { recursive: true });
  const program = join(folder.path, path);
  writeFileSync(program, "");
  chmodSync(program, 0o755);
  return program;
}

describe("findChromium", () => {
  const program = addProgram("b/google-chrome");
  const PATH = [join(folder.path, "a"), join(folder.path, "b")].join(":");

  it("finds what is in PATH, the headless shell before Chromium before Chrome", () => {
    expect(findChromium({ PATH })).toBe(program);
    expect(findChromium({ PATH: `${PATH}:${join(folder.path, "c")}` })).toBe(program);
    const chromium = addProgram("c/chromium");
    expect(findChromium({ PATH: `${PATH}:${join(folder.path, "c")}` })).toBe(chromium);
    const shell = addProgram("d/chromium-headless-shell");
    expect(findChromium({ PATH: `${PATH}:${join(folder.path, "c")}:${join(folder.path, "d")}` })).toBe(shell);
  });

  it("takes the one that CHROMIUM_PATH names, and no other in its place", () => {
    expect(findChromium({ PATH: "", CHROMIUM_PATH: program })).toBe(program);
    expect(findChromium({ PATH, CHROMIUM_PATH: "/nowhere/chromium" })).toBeNull();
    // Nothing is installed for CHROMIUM_PATH.
    installChromium({ PATH, CHROMIUM_PATH: "/nowhere/chromium" });
  });

  it("leaves a machine alone that has one", () => {
    const written = vi.spyOn(process.stdout, "write");
    installChromium({ PATH });
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });
});

describe("launchChromium", () => {
  it("fails with one line that says what to install where none can be had", async () => {
    vi.stubEnv("CHROMIUM_PATH", "/nowhere/chromium");
    await expect(launchChromium()).rejects.toThrow(missingChromium);
    vi.unstubAllEnvs();
    expect(missingChromium).toMatch(/^[^\n]*apt-get install -y chromium[^\n]*$/);
  });
});
