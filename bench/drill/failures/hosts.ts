import { execFileSync } from "node:child_process";
import type { SpawnChildParameters } from "@slipway/dev/process/spawnChild";
import type { Cleanups } from "./program.ts";

type Command = Pick<SpawnChildParameters, "command" | "args" | "asUser">;

/** Where programs of the drill run. */
export type Host = {
  address: string;
  /** Returns the command that runs a command on this host. */
  wrap(command: Command): Command;
};

/** A network namespace, which stands for a machine. */
export type NamespaceHost = Host & {
  /** Takes the machine off the network. @returns the function that connects it again. */
  disconnect(): () => Promise<void>;
  /** Drops all packets from and to some addresses. @returns the function that ends it. */
  block(addresses: readonly string[]): () => Promise<void>;
};

/** This machine, three times. */
export const localHosts: Host[] = [1, 2, 3].map(() => ({ address: "127.0.0.1", wrap: (command) => command }));

const bridge = "slip-drill";
const namespaceNumbers = [1, 2, 3];
/** The address of this machine in the network of the namespaces. */
export const ownAddress = "10.231.0.1";

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: ["ignore", "pipe", "pipe"] });
const attempt = async (command: string, ...args: string[]) => {
  try {
    run(command, ...args);
  } catch {
    // It has been removed before.
  }
};

/**
 * Creates a network of three namespaces and this machine. Needs root, `ip` and `iptables`.
 *
 * @throws Error if namespaces are not permitted here.
 */
export async function createNamespaces(cleanups: Cleanups): Promise<NamespaceHost[]> {
  await removeLeftovers();
  try {
    run("ip", "link", "add", bridge, "type", "bridge");
  } catch (error) {
    throw new Error("network namespaces are not permitted here, or another drill runs: run as root", { cause: error });
  }
  cleanups.push(() => attempt("ip", "link", "del", bridge));
  run("ip", "address", "add", `${ownAddress}/24`, "dev", bridge);
  run("ip", "link", "set", bridge, "up");
  return namespaceNumbers.map((number) => createNamespace(number, cleanups));
}

const toName = (number: number) => `${bridge}-${number}`;

/** Removes the network of a drill that was killed. A network in which processes run stays. */
async function removeLeftovers(): Promise<void> {
  const isUsed = (number: number) => {
    try {
      return run("ip", "netns", "pids", toName(number)).length > 0;
    } catch {
      return false;
    }
  };
  if (namespaceNumbers.some(isUsed)) return;
  for (const number of namespaceNumbers) await attempt("ip", "netns", "del", toName(number));
  await attempt("ip", "link", "del", bridge);
}

function createNamespace(number: number, cleanups: Cleanups): NamespaceHost {
  const name = toName(number);
  const [near, far] = [`slipd${number}`, `slipd${number}n`];
  const address = `10.231.0.1${number}`;
  const within = (...args: string[]) => run("ip", "netns", "exec", name, ...args);
  run("ip", "netns", "add", name);
  cleanups.push(() => attempt("ip", "netns", "del", name));
  run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name);
  run("ip", "link", "set", near, "master", bridge, "up");
  within("ip", "address", "add", `${address}/24`, "dev", far);
  within("ip", "link", "set", far, "up");
  within("ip", "link", "set", "lo", "up");
  return {
    address,
    wrap: ({ command, args, asUser }) => {
      const user = asUser === undefined ? [] : ["setpriv", `--reuid=${asUser}`, `--regid=${asUser}`, "--clear-groups"];
      return { command: "ip", args: ["netns", "exec", name, ...user, command, ...args] };
    },
    disconnect: () => {
      run("ip", "link", "set", near, "down");
      return async () => void run("ip", "link", "set", near, "up");
    },
    block: (addresses) => {
      const rules = addresses.flatMap((other) => [
        ["INPUT", "-s", other, "-j", "DROP"],
        ["OUTPUT", "-d", other, "-j", "DROP"],
      ]);
      for (const rule of rules) within("iptables", "-A", ...rule);
      return async () => {
        for (const rule of rules) within("iptables", "-D", ...rule);
      };
    },
  };
}
