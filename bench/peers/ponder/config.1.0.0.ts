import { createConfig, factory } from "ponder";
import { getAbiItem, http } from "viem";
import { factoryAbi, poolAbi } from "./abis.ts";

const launchFactory = process.env.LAUNCH_FACTORY as `0x${string}`;

export default createConfig({
  ordering: "multichain",
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL! },
  networks: {
    local: {
      chainId: 46630,
      transport: http(process.env.RPC_URL),
      maxRequestsPerSecond: 5000,
      pollingInterval: 100,
    },
  },
  contracts: {
    Factory: { network: "local", abi: factoryAbi, address: launchFactory, startBlock: 0 },
    Pool: {
      network: "local",
      abi: poolAbi,
      startBlock: 0,
      address: factory({
        address: launchFactory,
        event: getAbiItem({ abi: factoryAbi, name: "Launched" }),
        parameter: "pool",
      }),
    },
  },
});
