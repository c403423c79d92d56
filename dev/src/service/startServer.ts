import { isIPv6 } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getFreePort } from "../process/getFreePort.ts";
import { requireFreePort } from "../process/requireFreePort.ts";
import { type Child, readLogTail, spawnChild } from "../process/spawnChild.ts";
import { type Supervised, supervise } from "../process/supervise.ts";
import { StackError } from "../stack/stackError.ts";
import { repositoryRoot } from "../stack/stackFolder.ts";

/** The environment of the server, with the names of its `config.ts`. */
export type ServerEnvironment = Record<string, string>;

export type StartServerParameters = {
  dir: string;
  siteUrl: string;
  environment: ServerEnvironment;
  logPath: string;
  /** Restarts the server when one of its sources changes. */
  watch?: boolean;
  /** The path of the program. Default: the sources. */
  program?: string | undefined;
  report: (text: string) => void;
};

export type Server = Supervised & {
  /**
   * Waits until `/readyz` returns 200. @throws StackError when the server is not restarted any more or takes too long
   */
  waitUntilReady: (signal?: AbortSignal) => Promise<void>;
};

/** The server's program. */
export const serverProgram = join(repositoryRoot, "apps/server/src/server.ts");

const readyTimeoutMs = 120_000;
/** The server's exit code for an invalid configuration (sysexits EX_CONFIG). */
const configExitCode = 78;
/**
 * The server's exit code for an unusable dependency (EX_UNAVAILABLE); database and chain run when the server starts.
 */
const unavailableExitCode = 69;

/** Starts the service as a child and restarts it whenever it ends. Its output goes only to the log. */
export async function startServer(parameters: StartServerParameters): Promise<Server> {
  const { dir, siteUrl, environment, logPath, watch = false, program = serverProgram, report } = parameters;
  const start = (): Promise<Child> =>
    spawnChild({
      dir,
      name: "server",
      endSignal: "SIGTERM",
      endOrder: 1,
      command: process.execPath,
      args: watch ? ["--watch", "--watch-preserve-output", program] : [program],
      cwd: repositoryRoot,
      env: { NODE_ENV: "production", ...environment },
      logPath,
    });
  let wasReady = false;
  const supervised = supervise({
    name: "the server",
    first: await start(),
    restart: start,
    report,
    logPath,
    isFatal: ({ code }) => code === configExitCode || (code === unavailableExitCode && !wasReady),
  });
  return {
    ...supervised,
    waitUntilReady: async (signal) => {
      await waitUntilReady(supervised, siteUrl, logPath, signal);
      wasReady = true;
    },
  };
}

async function waitUntilReady(
  { failed }: Supervised,
  siteUrl: string,
  logPath: string,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  const failure = failed.then((error): never => {
    throw error;
  });
  failure.catch(() => undefined);
  let last = "it does not answer";
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    try {
      const response = await fetch(`${siteUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const body = await response.text();
      if (response.status === 200) return;
      last = `/readyz answers ${response.status} ${body.slice(0, 500)}`;
    } catch (error) {
      last = `it does not answer (${(error as Error).message})`;
    }
    await Promise.race([sleep(50), failure]);
  }
  throw new StackError(
    `The server did not become ready in ${readyTimeoutMs / 1000} s: ${last}\n${readLogTail(logPath, 8)}`,
    `Its whole log is ${logPath}.`,
  );
}

/** The address on which the service listens, and its URL on this machine. */
export type SiteAddress = { host: string; port: number; url: string };

/** The wildcard addresses, which mean all addresses of a machine. */
const wildcardHosts = new Set(["0.0.0.0", "::"]);

/**
 * Returns the address of the service after a check that it is free at this moment.
 *
 * @param requestedPort - By default any free port.
 * @throws StackError when the port is taken or no program can listen there
 */
export async function resolveSiteAddress(requestedPort: number | undefined, host: string): Promise<SiteAddress> {
  const port = requestedPort ?? (await getFreePort());
  await requireFreePort("PORT", port, host);
  const reached = wildcardHosts.has(host) ? "127.0.0.1" : host;
  return { host, port, url: `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}` };
}
