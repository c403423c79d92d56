import { Resolver } from "node:dns/promises";

/** The addresses of a name, IPv4 first. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Asks name servers themselves: the system's call would know names of this machine and its network too, and a name that
 * is answered slowly would hold one of the process's few threads.
 *
 * @param servers - `address:port`; the system's when left out.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: 5_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [failed] = answers;
    if (addresses.length === 0 && failed.status === "rejected") throw failed.reason;
    return addresses;
  };
}
