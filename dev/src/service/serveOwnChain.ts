import { spawn } from "node:child_process";
import { constants } from "node:os";
import { whenNpmIsGone } from "../process/whenNpmIsGone.ts";
import { serverProgram } from "./startServer.ts";

/**
 * Runs the server in the foreground with the environment as it is, and nothing else: for a chain and a database of
 * your own. Signals are passed on; the server drains and ends. It also does when npm is gone that ran this process, or
 * this process itself: no server is left behind that holds the port.
 *
 * @returns the server's exit code
 */
export function serveOwnChain(): Promise<number> {
  // By the channel the server hears of this process's end.
  const child = spawn(process.execPath, [serverProgram], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  whenNpmIsGone(() => child.kill("SIGTERM"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
