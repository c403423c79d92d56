import { isIPv6 } from "node:net";
import { freePort, whyPortIsRefused } from "../process/freePort.ts";
import { StackError } from "./stackError.ts";

/** Where the service listens, and the URL that it is reached by from this machine. */
export type SiteAddress = { host: string; port: number; url: string };

/** Addresses that stand for all of a machine's own. */
const everywhere = new Set(["0.0.0.0", "::"]);

/**
 * The address of the service, on which it can listen at this moment.
 *
 * @param wanted - Any free port when left out.
 * @throws StackError when the port is taken or nothing can listen there
 */
export async function siteAddress(wanted: number | undefined, host: string): Promise<SiteAddress> {
  const port = wanted ?? (await freePort());
  const refusal = await whyPortIsRefused(port, host);
  if (refusal === "EADDRINUSE") {
    throw new StackError(
      `Port ${port} on ${host} is taken by another program.`,
      `Stop that program, or choose another port: PORT=${port + 1} npm start`,
    );
  }
  if (refusal !== null) {
    throw new StackError(
      `The service cannot listen on ${host}, port ${port} (${refusal}).`,
      refusal === "EACCES"
        ? "Ports below 1024 are for root: PORT=8787 npm start"
        : "HOST must be an address of this machine: HOST=127.0.0.1 npm start",
    );
  }
  const reached = everywhere.has(host) ? "127.0.0.1" : host;
  return { host, port, url: `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}` };
}
