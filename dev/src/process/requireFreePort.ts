import { createServer } from "node:net";
import { StackError } from "../stack/stackError.ts";
import { findListener } from "./findListener.ts";

/**
 * Checks that a program can listen on a port at this moment.
 *
 * @param setting - The setting of the port, for the advice.
 * @throws StackError that names the setting, and the process that has taken the port if it is known
 */
export async function requireFreePort(setting: string, port: number, host: string): Promise<void> {
  const refusal = await probePort(port, host);
  if (refusal === null) return;
  if (refusal === "EADDRINUSE") {
    const listener = findListener(port);
    const holder = listener === null ? "another program" : `process ${listener.pid} (${listener.program})`;
    throw new StackError(
      `${setting}: port ${port} on ${host} is taken by ${holder}.`,
      `Stop it, or choose another port: ${setting}=${port < 65_535 ? port + 1 : port - 1} npm start`,
    );
  }
  throw new StackError(
    `${setting}: no program can listen on ${host}, port ${port} (${refusal}).`,
    refusal === "EACCES"
      ? `Ports below 1024 are for root: ${setting}=8788 npm start`
      : "HOST must be an address of this machine: HOST=127.0.0.1 npm start",
  );
}

/**
 * Returns the system's error code if a program cannot listen there now, which get-port does not report; otherwise null.
 */
function probePort(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}
