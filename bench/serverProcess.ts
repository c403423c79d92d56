import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { serverProgram } from "@slipway/dev/service/startServer";

/** The server as a separate process. */
export type ServerProcess = { siteUrl: string; baseUrl: string; child: ChildProcess; stop(): Promise<void> };

/** Starts the server's program; the server responds when this resolves. */
export async function startServerProcess(environment: Record<string, string>): Promise<ServerProcess> {
  const port = await getFreePort();
  const child = spawn(process.execPath, [serverProgram], {
    env: {
      PATH: process.env.PATH ?? "",
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
      PORT: String(port),
      READ_LIMIT_PER_SECOND: "1000000",
      READ_LIMIT_BURST: "1000000",
      RPC_REQUESTS_PER_SECOND: "100000",
      WRITE_LIMIT_PER_SECOND: "1000000",
      WRITE_LIMIT_BURST: "1000000",
      STREAMS_PER_ADDRESS: "1000000",
      STREAMS_PER_ACCOUNT: "1000000",
      METRICS_CACHE_MS: "0",
      ...environment,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  const siteUrl = `http://127.0.0.1:${port}`;
  const hasApi = environment.ROLES === undefined || environment.ROLES.includes("api");
  for (;;) {
    if (child.exitCode !== null) throw new Error("the server did not start");
    // A process without the API has no address and does not report when it is ready.
    const answers = !hasApi || (await fetch(`${siteUrl}/healthz`).catch(() => null))?.ok === true;
    if (answers) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    siteUrl,
    baseUrl: `${siteUrl}/api/v1/launchpad`,
    child,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
