import { createConfig, factory } from "ponder";
import { getAbiItem } from "viem";
import { factoryAbi, poolAbi } from "./abis.ts";

const launchFactory = process.env.LAUNCH_FACTORY as `0x${string}`;

export default createConfig({
  ordering: "multichain",
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL! },
  chains: {
    local: {
      id: 46630,
      rpc: Array.from({ length: 100 }, (_, i) => `${process.env.RPC_URL}/?${i}`),
      pollingInterval: 100,
    },
  },
  contracts: {
    Factory: { chain: "local", abi: factoryAbi, address: launchFactory, startBlock: 0 },
    Pool: {
      chain: "local",
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
