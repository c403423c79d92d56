import { isIP, type Socket } from "node:net";
import { buildConnector } from "undici";
import type { Permit } from "./isPublicTarget.ts";
import { OutsideFetchError } from "./outsideFetchError.ts";
import type { Resolve } from "./resolveName.ts";

/**
 * Connects for undici. A name is resolved once for a connection; every address it stands for must be permitted, and the
 * connection goes to one of exactly these. So a name that changes its mind between check and connection (DNS rebinding)
 * gains nothing. The certificate is checked against the name.
 */
export function checkedConnector(options: {
  permits: Permit;
  resolve: Resolve;
  signal: AbortSignal;
  /** Certificate authorities to trust instead of the system's. */
  ca: string | undefined;
}): buildConnector.connector {
  const { permits, resolve, signal, ca } = options;

  const permitted = async (hostname: string, port: number) => {
    const addresses = isIP(hostname) === 0 ? await resolved(resolve, hostname) : [hostname];
    for (const address of addresses) {
      if (!permits({ address, port })) {
        throw new OutsideFetchError("address_refused", `${hostname} is ${address}, port ${port}: not public`);
      }
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };

  const open = async (target: buildConnector.Options, callback: buildConnector.Callback) => {
    let addresses: Awaited<ReturnType<typeof permitted>>;
    try {
      const judged = permitted(target.hostname, target.port === "" ? 443 : Number(target.port));
      addresses = await Promise.race([judged, abortOf(signal)]);
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
async function abortOf(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function resolved(resolve: Resolve, hostname: string): Promise<string[]> {
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw new OutsideFetchError("name_unknown", `${hostname} is not known`, { cause: error });
  });
  if (addresses.length === 0) throw new OutsideFetchError("name_unknown", `${hostname} has no address`);
  return addresses;
}
