import { spawn } from "node:child_process";
import { constants } from "node:os";
import { serverProgram } from "../service/startServer.ts";
import { StackError } from "./stackError.ts";
import { parseStackPorts, type StackPorts } from "./stackPorts.ts";

/** The mode of `npm start`: the local stack, only the server on a configured chain and database, or only the help. */
export type StartMode =
  | { kind: "local"; demo: boolean; watch: boolean; ports: StackPorts }
  | { kind: "external-chain" }
  | { kind: "help" };

/** Help text of `npm start -- --help`. */
export const startHelp = `Runs the local stack until Ctrl-C: PostgreSQL, chain, contracts, service, demo tokens, an exchange.

  npm start                  everything
  npm start -- --no-demo     without demo tokens, demo businesses, local feeds, demo trader and local exchange
  npm run dev                everything; the server restarts when a source changes, and the site has hot reload

Settings, in the environment:
  PORT             port of the service; default 8787
  HOST             address of the service; default 127.0.0.1
  CHAIN_PORT       port of the chain; default 8545 or the last one, and a free one when that is taken
  DATABASE_PORT    port of PostgreSQL; default the last one, or a free one
  WEB_PORT         port of the site of npm run dev; default 5173
  SLIPWAY_DIR      folder of all data; default .slipway in this checkout
  WEB_DIST         folder of the built site; default: built from this checkout when its sources changed
  MARKET_HISTORY_DAYS
                   days of history of the local markets; default 500

A port that is named must be free. Two stacks run side by side with different folders and ports:
  SLIPWAY_DIR=/tmp/second PORT=8788 CHAIN_PORT=8546 DATABASE_PORT=5433 npm start

npm run demo and npm run reset use the stack of SLIPWAY_DIR; where it runs stands in its dev.json.

With these four set, it serves a chain of your own and starts no database and no chain:
  DATABASE_URL     URL of your PostgreSQL
  RPC_URL          URLs of your chain's endpoints, separated by commas
  MANIFEST_PATH    file of the deployment's manifest
  MANIFEST_SHA256  its SHA-256
Every other setting of the service: docs/operations.md.
`;

/** Settings of an external chain; all or none of them must be set. */
const externalChainSettings = ["DATABASE_URL", "RPC_URL", "MANIFEST_PATH", "MANIFEST_SHA256"] as const;

/**
 * Parses the arguments and the environment of `npm start`.
 *
 * @throws StackError for an unknown argument, an unusable port, or an incomplete set of settings
 */
export function parseStartMode(args: string[], environment: NodeJS.ProcessEnv): StartMode {
  if (args.includes("--help") || args.includes("-h")) return { kind: "help" };
  const unknown = args.filter((argument) => !["--no-demo", "--watch"].includes(argument));
  if (unknown.length > 0) {
    throw new StackError(
      `Unknown argument: ${unknown.join(" ")}`,
      "npm start takes one option, npm start -- --no-demo; npm start -- --help shows the settings",
    );
  }
  const missing = externalChainSettings.filter((name) => !environment[name]);
  if (missing.length === 0) return { kind: "external-chain" };
  if (missing.length < externalChainSettings.length) {
    const configured = externalChainSettings.filter((name) => !missing.includes(name));
    const verb = (names: unknown[]) => (names.length === 1 ? "is" : "are");
    throw new StackError(
      `${configured.join(", ")} ${verb(configured)} set but ${missing.join(", ")} ${verb(missing)} not.`,
      "Set all four to serve a chain of your own, or none of them for the local stack.",
    );
  }
  const ports = parseStackPorts(environment);
  // `npm start --no-demo` without the second pair of dashes reaches the program as a setting of npm.
  const demo = !args.includes("--no-demo") && environment.npm_config_demo !== "";
  return { kind: "local", demo, watch: args.includes("--watch"), ports };
}

/** Whether the server of these settings serves the site. */
export function hasApiRole({ ROLES }: NodeJS.ProcessEnv): boolean {
  return !ROLES || ROLES.split(",").some((role) => role.trim() === "api");
}

/**
 * Runs only the server, in the foreground and with the unchanged environment: for an external chain and database.
 * Passes signals on; the server drains and ends. Also ends the server when npm, which runs this process, or this
 * process itself has ended, so that no server remains on the port.
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
 * Calls back once when this process runs as an npm script and npm's shell has ended, because that shell does not pass
 * on a SIGTERM. Does not keep the process running.
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
