import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../src/stack/stackFolder.ts";
import { temporaryFolder } from "../src/stack/temporaryFolder.ts";
import { type Stack, startStack } from "../src/startStack.ts";

/** Pages whose commands are run as they are printed, each from its first to its last on a stack of its own. */
const pages = ["docs/accounts.md", "docs/streams.md"];

/** Each shell block of a page with the answer that is printed below it. */
const transcriptOf = (page: string) =>
  [...page.matchAll(/```sh\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, commands, answer]) => ({
    commands: commands!,
    answer: answer!.trim(),
  }));

/** `…` stands for anything within a line. */
const asPattern = (answer: string) =>
  new RegExp(`^${answer.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*")}$`);

describe.each(pages)("%s", (path) => {
  const page = readFileSync(join(repositoryRoot, path), "utf8");
  const transcript = transcriptOf(page);
  const folder = temporaryFolder();
  let stack: Stack;
  beforeAll(async () => {
    // Like `npm start`: the demo's trades are what the streams tell.
    stack = await startStack({ dir: folder.path, demo: true });
  });
  afterAll(async () => {
    await stack?.stop();
    folder.remove();
  });

  it("has an answer below every block of commands, and no other language's examples", () => {
    const languages = [...page.matchAll(/```(\w+)\n.*?```/gs)].map(([, language]) => language);
    expect(languages.filter((language) => language === "sh")).toHaveLength(transcript.length);
    // What is only shown: commands for somebody else's service.
    expect(new Set(languages).difference(new Set(["sh", "text", "console"]))).toEqual(new Set());
    expect(transcript.length).toBeGreaterThan(4);
  });

  it("prints what its commands answer, from the first to the last, in one shell", async () => {
    const mark = "== next ==";
    const script = transcript.map(({ commands }) => `${commands}\necho; echo "${mark}"\n`).join("");
    const { stdout } = await promisify(execFile)("sh", ["-c", script], {
      cwd: repositoryRoot,
      env: { ...process.env, SLIPWAY_DIR: folder.path },
      timeout: 110_000,
    });
    const answers = stdout.split(mark).map((answer) => answer.trim());
    for (const [i, { answer }] of transcript.entries()) expect(answers[i]).toMatch(asPattern(answer));
  });
});
