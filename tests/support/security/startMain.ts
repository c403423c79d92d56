import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { getProgram } from "../getProgram.ts";
import { programEnvironment } from "../programEnvironment.ts";

/** The server's program as a separate process. */
export type MainProcess = {
  siteUrl: string;
  /** The process, with a channel for messages; it ends with the test that started it. */
  child: ChildProcess;
  /** Returns its whole output. */
  output(): string;
  /** Sends SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** Modules that run before the server in its process, so that they can count its requests or read its memory. */
const preloads = {
  killAtStep: new URL("../preloads/killAtStep.ts", import.meta.url).href,
  takeHeapSnapshot: new URL("../preloads/takeHeapSnapshot.ts", import.meta.url).href,
  watchEventLoop: new URL("../preloads/watchEventLoop.ts", import.meta.url).href,
};
export type Preload = keyof typeof preloads;

/**
 * Starts the server on a free port; the server responds when this resolves.
 *
 * @param environment - The settings, which may use the site's own URL.
 * @throws if it ends or does not respond; the message has its whole output.
 */
export async function startMain(
  environment: (siteUrl: string) => Record<string, string>,
  preload?: Preload,
): Promise<MainProcess> {
  const program = await getProgram("server");
  const parameters = preload === undefined ? [program] : ["--import", preloads[preload], program];
  for (let attempt = 1; ; attempt++) {
    const started = spawnMain(environment, parameters, await getFreePort());
    try {
      await untilAnswering(started);
      return started;
    } catch (error) {
      await started.kill();
      // Another process took the port between the choice and the bind.
      if (attempt === 5 || !started.output().includes("EADDRINUSE")) throw error;
    }
  }
}

function spawnMain(
  environment: (siteUrl: string) => Record<string, string>,
  parameters: readonly string[],
  port: number,
): MainProcess {
  const siteUrl = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(process.execPath, parameters, {
    env: {
      ...programEnvironment,
      NODE_ENV: "test",
      LOG_LEVEL: "warn",
      HOST: "127.0.0.1",
      PORT: String(port),
      // Tests compare metrics before and after a request.
      METRICS_CACHE_MS: "0",
      ...environment(siteUrl),
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  child.stdout!.on("data", (chunk) => (output += chunk));
  child.stderr!.on("data", (chunk) => (output += chunk));
  const ended = once(child, "exit");
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  return { siteUrl, child, output: () => output, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}

async function untilAnswering({ siteUrl, child, output }: MainProcess): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const response = await fetch(`${siteUrl}/healthz`).catch(() => null);
    if (response?.ok) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server did not start:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
