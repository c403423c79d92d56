import { join } from "node:path";
import { keepAlive, type KeptAlive } from "../process/keepAlive.ts";
import { type Child, logTail, spawnChild } from "../process/spawnChild.ts";
import { repositoryRoot } from "../stack/stackFolder.ts";
import { StackError } from "../stack/stackError.ts";

/** Environment of the server, by the names of its `config.ts`. */
export type ServerEnvironment = Record<string, string>;

export type StartServerParameters = {
  dir: string;
  siteUrl: string;
  environment: ServerEnvironment;
  logPath: string;
  report: (text: string) => void;
};

export type Server = KeptAlive & {
  /** Waits for `/readyz` to answer 200. @throws StackError when it is given up or takes too long */
  untilReady: (signal?: AbortSignal) => Promise<void>;
};

/** The server's program. */
export const serverProgram = join(repositoryRoot, "apps/server/src/server.ts");

const readyTimeoutMs = 120_000;
/** How the server ends when it cannot work with its configuration (sysexits EX_CONFIG). */
const configExitCode = 78;
/** ... and when something it needs is not as it must be (EX_UNAVAILABLE); database and chain are up when it starts. */
const unavailableExitCode = 69;

/**
 * Starts the service as a child and keeps it running: a server that dies is started again. Its output goes to the
 * log alone.
 */
export async function startServer(parameters: StartServerParameters): Promise<Server> {
  const { dir, siteUrl, environment, logPath, report } = parameters;
  const start = (): Promise<Child> =>
    spawnChild({
      dir,
      name: "server",
      endSignal: "SIGTERM",
      endOrder: 1,
      command: process.execPath,
      args: [serverProgram],
      cwd: repositoryRoot,
      env: { ...process.env, NODE_ENV: "production", ...environment },
      logPath,
    });
  let wasReady = false;
  const kept = keepAlive({
    name: "the server",
    first: await start(),
    restart: start,
    report,
    logPath,
    isHopeless: ({ code }) => code === configExitCode || (code === unavailableExitCode && !wasReady),
  });
  return {
    ...kept,
    untilReady: async (signal) => {
      await untilReady(kept, siteUrl, logPath, signal);
      wasReady = true;
    },
  };
}

async function untilReady(kept: KeptAlive, siteUrl: string, logPath: string, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  const given: { up?: StackError } = {};
  void kept.failed.then((error) => {
    given.up = error;
  });
  let last = "it does not answer";
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    if (given.up !== undefined) throw given.up;
    try {
      const response = await fetch(`${siteUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const body = await response.text();
      if (response.status === 200) return;
      last = `/readyz answers ${response.status} ${body.slice(0, 500)}`;
    } catch (error) {
      last = `it does not answer (${(error as Error).message})`;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new StackError(
    `The server did not become ready in ${readyTimeoutMs / 1000} s: ${last}\n${logTail(logPath, 8)}`,
    `Its whole log is ${logPath}.`,
  );
}
