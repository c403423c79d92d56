import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { announcedViolations, type Finding, fits } from "./testing/announcedViolations.ts";
import { biomeFindings, oxlintFindings } from "./testing/linterFindings.ts";
import { repositoryRoot } from "./testing/repositoryRoot.ts";

const print = ({ file, line, message }: Finding) => `  ${file}:${line} ${message.slice(0, 160)}\n`;

/**
 * Proves that the linters would fail: in a folder of violations, one for each rule of the architecture, they must
 * report every announced one and nothing else. A rule that is switched off by accident is a missing report here.
 */
async function main(): Promise<number> {
  const canary = join(repositoryRoot, "tools/canary");
  const folder = await mkdtemp(join(tmpdir(), "slipway-canary-"));
  try {
    await cp(canary, folder, { recursive: true });
    for (const path of ["biome.json", ".oxlintrc.json", "tools/gates"]) {
      await cp(join(repositoryRoot, path), join(folder, path), { recursive: true });
    }
    const announced = await announcedViolations(canary);
    const reported = [...(await biomeFindings(folder)), ...(await oxlintFindings(folder))];
    const silent = announced.filter((wanted) => !reported.some((found) => fits(wanted, found)));
    const unannounced = reported.filter((found) => !announced.some((wanted) => fits(wanted, found)));
    if (silent.length > 0) process.stderr.write(`The linters are blind to:\n${silent.map(print).join("")}`);
    if (unannounced.length > 0) process.stderr.write(`Not announced:\n${unannounced.map(print).join("")}`);
    if (announced.length === 0) process.stderr.write("The canary announces no violation: it proves nothing.\n");
    const failed = silent.length + unannounced.length > 0 || announced.length === 0;
    if (!failed) process.stdout.write(`canary: all ${announced.length} planted violations are reported\n`);
    return failed ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
