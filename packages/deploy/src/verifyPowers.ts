import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import {
  type AbiEvent,
  type Address,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
  toEventSelector,
  zeroAddress,
} from "viem";
import { callRpc, createChainReader, type RpcClient } from "./createRpcClient.ts";
import type { CreationCheck } from "./verifyCreations.ts";

const abi = parseAbi([
  "function owner() view returns (address)",
  "function proposedOwner() view returns (address)",
  "function proposedTreasury() view returns (address)",
  "event PartnerShareChanged(address indexed partner, uint16 previousShareBps, uint16 shareBps)",
  "event TreasuryChanged(address indexed previous, address indexed treasury)",
]);

/**
 * Checks the accounts that have a power over the deployment now. The creation transactions do not show them, because
 * their holders can change after the creation:
 * - the owner of the Uniswap factory, who can take up to a quarter of the fees of every pool;
 * - a proposed owner of the gas station and a proposed treasury, who can accept at any time;
 * - partners that an earlier treasury registered, who can name themselves in new launches.
 *
 * @throws DeployError `rpc_unavailable`, or the node's error.
 */
export async function verifyPowers(client: RpcClient, manifest: Manifest): Promise<CreationCheck[]> {
  const { uniswap, gas_station: station } = manifest;
  const read = (address: string, functionName: "owner" | "proposedOwner" | "proposedTreasury") =>
    createChainReader(client).readContract({ address: address as Address, abi, functionName });
  const deployments = [
    { prefix: "", deployment: manifest.current },
    ...manifest.history.map((deployment, index) => ({ prefix: `history.${index}.`, deployment })),
  ];
  const checks = [
    { name: "uniswap.factory.owner", expected: uniswap.factory_owner, actual: read(uniswap.factory.address, "owner") },
    ...(station === null
      ? []
      : [
          {
            name: "gas_station.proposed_owner",
            expected: zeroAddress,
            actual: read(station.address, "proposedOwner"),
          },
        ]),
    ...deployments.flatMap(({ prefix, deployment }) => [
      {
        name: `${prefix}fee_locker.proposed_treasury`,
        expected: zeroAddress,
        actual: read(deployment.fee_locker.address, "proposedTreasury"),
      },
      {
        name: `${prefix}launch_factory.partners_of_earlier_treasuries`,
        expected: "none",
        actual: describeInheritedPartners(client, deployment),
      },
    ]),
  ];
  return await Promise.all(
    checks.map(async ({ name, expected, actual }) => ({ name, expected, actual: await actual })),
  );
}

type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; blockNumber: Hex; logIndex: Hex };

/** Lists the partners with a share that an earlier treasury registered; `none` without one. */
async function describeInheritedPartners(client: RpcClient, deployment: LaunchDeployment): Promise<string> {
  const addresses = [deployment.launch_factory.address, deployment.fee_locker.address];
  const topics = [abi.filter(({ type }) => type === "event").map((event) => toEventSelector(event as AbiEvent))];
  const fromBlock = numberToHex(deployment.deployment_block);
  const filter = { address: addresses, topics, fromBlock, toBlock: "latest" };
  const logs = (await callRpc(client, "eth_getLogs", [filter])) as Log[];
  let shares = new Map<Address, number>();
  let inherited = new Map<Address, number>();
  for (const { eventName, args } of parseEventLogs({ abi, logs: logs as never[] })) {
    if (eventName === "TreasuryChanged") {
      inherited = new Map([...inherited, ...shares]);
      shares = new Map();
      continue;
    }
    inherited.delete(args.partner);
    shares.set(args.partner, args.shareBps);
  }
  const found = [...inherited].filter(([, shareBps]) => shareBps > 0);
  if (found.length === 0) return "none";
  return found.map(([partner, shareBps]) => `${partner} ${shareBps} bps`).join(", ");
}
