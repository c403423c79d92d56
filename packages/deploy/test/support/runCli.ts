import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type CliResult = { code: number | null; signal: string | null; stdout: string; stderr: string };

// Halves what a process needs to start.
const compileCache = fileURLToPath(new URL("../../../../.cache/node-compile", import.meta.url));

/** Runs a command of this package in a process of its own, with nothing in its environment but what is given. */
export async function runCli(
  command: "deploy" | "verify",
  args: readonly string[],
  env: Record<string, string> = {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<CliResult> {
  const path = fileURLToPath(new URL(`../../src/cli/${command}.ts`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onStart(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
}
