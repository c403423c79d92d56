import type { Fault } from "./failures/faults.ts";
import { createNamespaces, type NamespaceHost, ownAddress } from "./failures/hosts.ts";
import { runFaults } from "./failures/runFaults.ts";
import type { DatabaseCluster } from "./failures/startDatabase.ts";

export const description = "cuts the network of the primary's machine under load (network namespaces; needs root)";

/** `npm run drill -- partition [--faults service,machine,members] [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  return await runFaults({
    options,
    signal,
    createHosts: createNamespaces,
    createFaults: ({ database }) => createPartitions(database),
  });
}

function createPartitions(database: DatabaseCluster): Fault[] {
  const findHosts = async () => {
    const primary = await database.findPrimary();
    if (primary === null) throw new Error("there is no primary");
    const others = database.members.filter((member) => member !== primary).map(({ host }) => host.address);
    return { host: primary.host as NamespaceHost, others };
  };
  return [
    {
      name: "service",
      description: "between the service and the primary",
      replaces: { leader: false, primary: false },
      inject: async () => (await findHosts()).host.block([ownAddress]),
    },
    {
      name: "machine",
      description: "between the primary's machine and all others",
      replaces: { leader: false, primary: true },
      inject: async () => (await findHosts()).host.disconnect(),
    },
    {
      name: "members",
      description: "between the primary and the other members with etcd; the service reaches all",
      replaces: { leader: false, primary: true },
      inject: async () => {
        const { host, others } = await findHosts();
        return host.block(others);
      },
    },
  ];
}
