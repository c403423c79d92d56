import { diagnose } from "./diagnose.ts";
import { systemClock } from "./systemClock.ts";

const usage = `Checks the deployment of the settings in the environment, and changes nothing: settings, chain, database,
roles, replica, clock, disk, ports. Run it with the settings of each process.

  doctor [-- --json]

The exit code is 1 if there is a problem.
`;

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" };

if (process.argv.includes("--help")) process.stdout.write(usage);
else {
  const findings = await diagnose(process.env, systemClock);
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const { check, level, text } of findings) process.stdout.write(`${marks[level]}  ${check}: ${text}\n`);
  process.exitCode = findings.some(({ level }) => level === "problem") ? 1 : 0;
}
