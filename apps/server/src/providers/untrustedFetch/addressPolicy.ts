import { Resolver } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";
import { UntrustedFetchError } from "./untrustedFetchError.ts";

/**
 * Creates a connector for undici. Resolves a name once for a connection; all its addresses must be allowed, and the
 * connection uses one of them, so that DNS rebinding between check and connection has no effect. The certificate is
 * checked against the name.
 */
export function createCheckedConnector(options: {
  addressPolicy: AddressPolicy;
  resolve: Resolve;
  signal: AbortSignal;
  /** Certificate authorities to trust instead of the system's. */
  ca: string | undefined;
}): buildConnector.connector {
  const { addressPolicy, resolve, signal, ca } = options;

  const checkAddresses = async (hostname: string, port: number) => {
    const addresses = isIP(hostname) === 0 ? await resolveAddresses(resolve, hostname) : [hostname];
    for (const address of addresses) {
      if (!addressPolicy({ address, port })) {
        throw new UntrustedFetchError("address_refused", `${hostname} is ${address}, port ${port}: not public`);
      }
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };

  const open = async (target: buildConnector.Options, callback: buildConnector.Callback) => {
    let addresses: Awaited<ReturnType<typeof checkAddresses>>;
    try {
      const defaultPort = target.protocol === "http:" ? 80 : 443;
      const checked = checkAddresses(target.hostname, target.port === "" ? defaultPort : Number(target.port));
      addresses = await Promise.race([checked, waitForAbort(signal)]);
      signal.throwIfAborted();
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    const connect = buildConnector({
      allowH2: false,
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      // Called with `all: true`: Node tries the addresses one after the other.
      lookup: ((_name: string, _options: object, done: (error: null, all: typeof addresses) => void) => {
        done(null, addresses);
      }) as never,
      autoSelectFamily: true,
    });
    const socket = connect(target, callback) as unknown as Socket;
    // Destroyed with an error, so that undici fails a pending connection too.
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
    throw new UntrustedFetchError("name_unknown", `${hostname} cannot be resolved`, { cause: error });
  });
  if (addresses.length === 0) throw new UntrustedFetchError("name_unknown", `${hostname} has no address`);
  return addresses;
}

/** The target of a connection: an IP address and a port. */
export type Target = { address: string; port: number };

/** Decides whether a connection to a target is allowed. */
export type AddressPolicy = (target: Target) => boolean;

/** Global unicast (RFC 4291); all other IPv6 addresses are private, special or contain an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Allows public hosts on the https port only. Rejects loopback, private, link-local (cloud metadata), carrier-grade NAT,
 * multicast, reserved and documentation ranges, and every IPv6 form that contains an IPv4 address: mapped, compatible,
 * translated (NAT64), 6to4, Teredo.
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

/** Whether a URL names a target that `isPublicTarget` can allow: the https port, and no address that is not public. */
export function isPublicUrl(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? 443 : Number(url.port);
  return isIP(host) === 0 ? port === 443 : isPublicTarget({ address: host, port });
}

/** Resolves a name to its addresses, IPv4 first. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Creates a resolver that queries name servers directly: getaddrinfo also resolves local names, and a slow name would
 * block one of the few threads of the process.
 *
 * @param servers - `address:port`; default: the servers of the system.
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
