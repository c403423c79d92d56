import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../src/stack/stackFolder.ts";
import { temporaryFolder } from "../src/stack/temporaryFolder.ts";
import { type Stack, startStack } from "../src/startStack.ts";

const page = readFileSync(join(repositoryRoot, "docs/accounts.md"), "utf8");

/** Each shell block of the page with the answer that is printed below it. */
const transcript = [...page.matchAll(/```sh\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, commands, answer]) => ({
  commands: commands!,
  answer: answer!.trim(),
}));

const folder = temporaryFolder();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ dir: folder.path });
});
afterAll(async () => {
  await stack?.stop();
  folder.remove();
});

/** `…` stands for anything within a line. */
const asPattern = (answer: string) =>
  new RegExp(`^${answer.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*")}$`);

describe("docs/accounts.md", () => {
  it("has an answer below every block of commands", () => {
    expect(transcript.length).toBe([...page.matchAll(/```sh\n/g)].length);
    expect(transcript.length).toBeGreaterThan(4);
  });

  it("prints what its commands answer, from the first to the last, in one shell", async () => {
    const mark = "== next ==";
    const script = transcript.map(({ commands }) => `${commands}\necho; echo "${mark}"\n`).join("");
    const { stdout } = await promisify(execFile)("sh", ["-c", script], {
      cwd: repositoryRoot,
      env: { ...process.env, SLIPWAY_DIR: folder.path },
      timeout: 60_000,
    });
    const answers = stdout.split(mark).map((answer) => answer.trim());
    for (const [i, { answer }] of transcript.entries()) expect(answers[i]).toMatch(asPattern(answer));
  });
});
