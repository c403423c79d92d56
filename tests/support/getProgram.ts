import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { prepareOnce } from "./prepareOnce.ts";

const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));

/** The programs that tests start often. */
const entries = {
  server: "apps/server/src/server.ts",
  accounts: "apps/server/src/accountsCommand.ts",
  commandLine: "packages/cli/src/main.ts",
  deploy: "packages/deploy/src/cli/deploy.ts",
  verify: "packages/deploy/src/cli/verify.ts",
};

/**
 * Returns a program as one file of JavaScript, which starts with half of the CPU time of its sources: Node resolves and
 * reads some 1,700 files for the server. The first call of a test run builds the file. Outside of a test run
 * (benchmarks), it returns the sources.
 */
export async function getProgram(name: keyof typeof entries): Promise<string> {
  const entry = join(repositoryRoot, entries[name]);
  if (process.env.TEST_DATABASES === undefined) return entry;
  // A fixed path, because Node's compile cache is found by the path.
  const path = join(repositoryRoot, ".cache/programs", `${name}.mjs`);
  await prepareOnce(`program-${name}`, basename(path), async (folder) => {
    const build = fileURLToPath(new URL("buildProgram.ts", import.meta.url));
    await promisify(execFile)(process.execPath, [build, entry, path]);
    writeFileSync(join(folder, basename(path)), "");
  });
  return path;
}
