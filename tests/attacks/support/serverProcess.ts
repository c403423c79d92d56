import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../dev/src/process/freePort.ts";
import { type GasWorld, gasSettings } from "./startGasWorld.ts";
import type { Account, Answer } from "./startWorld.ts";

const mainProgram = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url));

/** The server as a process of its own, to be killed. */
export type ServerProcess = {
  /** Calls an endpoint; rejects when the process dies under it. */
  call(method: "GET" | "POST", path: string, body?: unknown, as?: Account): Promise<Answer>;
  /** Everything it has printed. */
  output(): string;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts api and worker over the world's chain and database; ready when this resolves. */
export async function startServerProcess(
  gas: GasWorld,
  environment: Record<string, string> = {},
  program: string = mainProgram,
): Promise<ServerProcess> {
  const { config } = gas.server.deps;
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH ?? "",
      ...gasSettings,
      NODE_ENV: "test",
      LOG_LEVEL: "warn",
      HOST: "127.0.0.1",
      PORT: String(port),
      ROLES: "api,worker",
      DATABASE_URL: config.DATABASE_URL,
      RPC_URL: config.RPC_URL.join(","),
      MANIFEST_PATH: config.MANIFEST_PATH!,
      MANIFEST_SHA256: config.MANIFEST_SHA256!,
      RPC_REQUESTS_PER_SECOND: "100000",
      WRITE_LIMIT_PER_SECOND: "1000000",
      WRITE_LIMIT_BURST: "1000000",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout!.on("data", (chunk) => (output += chunk));
  child.stderr!.on("data", (chunk) => (output += chunk));
  const ended = once(child, "exit");
  const site = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 30_000;
  while (
    !(await fetch(`${site}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  return {
    call: async (method, path, body, as = gas.world.account) => {
      const response = await fetch(`${site}/api/v1/launchpad${path}`, {
        method,
        headers: {
          authorization: `Bearer ${as.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    output: () => output,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
