import { Resolver } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";
import { UntrustedFetchError } from "./untrustedFetchError.ts";

/**
 * Connects for undici. A name is resolved once for a connection; every address it stands for must be permitted, and the
 * connection goes to one of exactly these. So a name that changes its mind between check and connection (DNS rebinding)
 * gains nothing. The certificate is checked against the name.
 */
export function createCheckedConnector(options: {
  permits: AddressPolicy;
  resolve: Resolve;
  signal: AbortSignal;
  /** Certificate authorities to trust instead of the system's. */
  ca: string | undefined;
}): buildConnector.connector {
  const { permits, resolve, signal, ca } = options;

  const permitted = async (hostname: string, port: number) => {
    const addresses = isIP(hostname) === 0 ? await resolveAddresses(resolve, hostname) : [hostname];
    for (const address of addresses) {
      if (!permits({ address, port })) {
        throw new UntrustedFetchError("address_refused", `${hostname} is ${address}, port ${port}: not public`);
      }
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };

  const open = async (target: buildConnector.Options, callback: buildConnector.Callback) => {
    let addresses: Awaited<ReturnType<typeof permitted>>;
    try {
      const judged = permitted(target.hostname, target.port === "" ? 443 : Number(target.port));
      addresses = await Promise.race([judged, waitForAbort(signal)]);
      signal.throwIfAborted();
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    const connect = buildConnector({
      allowH2: false,
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      // Always asked for all: Node tries one after the other.
      lookup: ((_name: string, _options: object, done: (error: null, all: typeof addresses) => void) => {
        done(null, addresses);
      }) as never,
      autoSelectFamily: true,
    });
    const socket = connect(target, callback) as unknown as Socket;
    // With an error, so that undici hears of it while it still waits for the connection.
    signal.addEventListener("abort", () => socket.destroy(signal.reason), { once: true });
  };
  return (target, callback) => {
    void open(target, callback);
  };
}

/** Rejects with the signal's reason when it aborts. */
async function waitForAbort(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function resolveAddresses(resolve: Resolve, hostname: string): Promise<string[]> {
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw new UntrustedFetchError("name_unknown", `${hostname} is not known`, { cause: error });
  });
  if (addresses.length === 0) throw new UntrustedFetchError("name_unknown", `${hostname} has no address`);
  return addresses;
}

/** Where a connection would go: an address, not a name, and a port. */
export type Target = { address: string; port: number };

/** Says whether a connection may be made. */
export type AddressPolicy = (target: Target) => boolean;

/** What the internet routes to hosts (RFC 4291): everything else of IPv6 is private, special or wraps an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Only hosts of the public internet, on the port of https. Refused are loopback, private, link-local (cloud metadata),
 * carrier-grade NAT, multicast, reserved and documentation ranges, and every IPv6 form that carries an IPv4 address:
 * mapped, compatible, translated (NAT64), 6to4, Teredo.
 *
 * @example
 * isPublicTarget({ address: "::ffff:10.0.0.1", port: 443 }); // false
 */
export const isPublicTarget: AddressPolicy = ({ address, port }) => {
  if (port !== 443 || isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(globalUnicast);
};

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
