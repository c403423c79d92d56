import { spawn } from "node:child_process";
import { constants } from "node:os";
import { serverProgram } from "../service/startServer.ts";
import { StackError } from "./stackError.ts";

/** The local stack, or the server alone on a chain and a database that the environment names. */
export type StartMode = { kind: "local"; demo: boolean } | { kind: "external-chain" };

/** Settings of an external chain; all or none of them must be set. */
const externalChainSettings = ["DATABASE_URL", "RPC_URL", "MANIFEST_PATH", "MANIFEST_SHA256"] as const;

/**
 * Parses the arguments and the environment of `npm start`.
 *
 * @throws StackError for an unknown argument, an invalid PORT, or an incomplete set of settings
 */
export function parseStartMode(args: string[], environment: NodeJS.ProcessEnv): StartMode {
  const unknown = args.filter((argument) => argument !== "--no-demo");
  if (unknown.length > 0) {
    throw new StackError(
      `Unknown argument: ${unknown.join(" ")}`,
      "npm start takes one option: npm start -- --no-demo",
    );
  }
  const missing = externalChainSettings.filter((name) => !environment[name]);
  if (missing.length === 0) return { kind: "external-chain" };
  if (missing.length < externalChainSettings.length) {
    const present = externalChainSettings.filter((name) => !missing.includes(name));
    const verb = (names: unknown[]) => (names.length === 1 ? "is" : "are");
    throw new StackError(
      `${present.join(", ")} ${verb(present)} set but ${missing.join(", ")} ${verb(missing)} not.`,
      "Set all four to serve a chain of your own, or none of them for the local stack.",
    );
  }
  const port = environment.PORT;
  if (port !== undefined && !(Number.isInteger(Number(port)) && Number(port) > 0 && Number(port) < 65_536)) {
    throw new StackError(`PORT is ${JSON.stringify(port)}.`, "Give a number from 1 to 65535: PORT=8788 npm start");
  }
  // `npm start --no-demo` without the second pair of dashes reaches a program as npm's own setting.
  const demo = !args.includes("--no-demo") && environment.npm_config_demo !== "";
  return { kind: "local", demo };
}

/**
 * Runs the server in the foreground with the environment as it is, and nothing else: for an external chain and
 * database. Signals are passed on; the server drains and ends. It also ends when npm, which runs this process, or this
 * process itself has ended, so that no server remains that holds the port.
 *
 * @returns the server's exit code
 */
export function serveExternalChain(): Promise<number> {
  // The server detects the end of this process by the IPC channel.
  const child = spawn(process.execPath, [serverProgram], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  onNpmExit(() => child.kill("SIGTERM"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

const parentCheckMs = 500;

/**
 * Calls back once when this process runs as an npm script and npm's shell has ended: that shell does not pass on a
 * SIGTERM. Does not keep the process running.
 */
export function onNpmExit(callback: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, parentCheckMs).unref();
}
