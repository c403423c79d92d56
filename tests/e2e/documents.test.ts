import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@slipway/dev/stack/stackFolder";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import type { Stack } from "@slipway/dev/startStack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuiltStack } from "../support/startBuiltStack.ts";

/**
 * Pages whose commands run as printed, in order, and the demo of their stack. The demo trader runs only if a page needs
 * its trades; otherwise it could move the price of the page's own trades beyond their slippage.
 */
const stacks = [
  { pages: ["docs/market-data.md", "docs/catalogue.md"], demo: false },
  { pages: ["docs/accounts.md", "docs/streams.md", "docs/feeds.md"], demo: true },
  { pages: ["docs/trading.md"], demo: "tokens" },
] as const;

/** Returns each shell block of a page with the answer that is printed below it. */
const parseTranscript = (page: string) =>
  [...page.matchAll(/```sh\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, commands, answer]) => ({
    commands: commands!,
    answer: answer!.trim(),
  }));

/** `…` matches any text within a line. */
const toPattern = (answer: string) =>
  new RegExp(`^${answer.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*")}$`);

describe.each(stacks)("$pages", ({ pages, demo }) => {
  const folder = temporaryFolder();
  let stack: Stack;
  beforeAll(async () => {
    stack = await startBuiltStack({ dir: folder.path, demo, exchange: pages[0] === "docs/market-data.md" });
  });
  afterAll(async () => {
    await stack?.stop();
    folder.remove();
  });

  describe.each(pages)("%s", (path) => testPage(path, folder.path));
});

/** @param dir - The folder of the stack. */
function testPage(path: string, dir: string): void {
  const page = readFileSync(join(repositoryRoot, path), "utf8");
  const transcript = parseTranscript(page);

  it("has an answer below every block of commands, and no examples in other languages", () => {
    const languages = [...page.matchAll(/```(\w+)\n.*?```/gs)].map(([, language]) => language);
    expect(languages.filter((language) => language === "sh")).toHaveLength(transcript.length);
    // `console` blocks are not run: their commands are for another service.
    expect(new Set(languages).difference(new Set(["sh", "text", "console"]))).toEqual(new Set());
    expect(transcript.length).toBeGreaterThan(4);
  });

  it("shows the output of its commands, run in order in one shell", async () => {
    const mark = "== next ==";
    const script = transcript.map(({ commands }) => `${commands}\necho; echo "${mark}"\n`).join("");
    const { stdout } = await promisify(execFile)("sh", ["-c", script], {
      cwd: repositoryRoot,
      env: { ...process.env, SLIPWAY_DIR: dir },
      // Only bounds a hang, and ends before the timeout of the test.
      timeout: 280_000,
    });
    const answers = stdout.split(mark).map((answer) => answer.trim());
    for (const [i, { answer }] of transcript.entries()) expect(answers[i]).toMatch(toPattern(answer));
  });
}
