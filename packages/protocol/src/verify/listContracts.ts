import type { Manifest } from "../manifest.ts";
import type { Contracts } from "./check.ts";

/** Lists the contracts of a deployment by the names of `GET /config`, without those that the manifest does not name. */
export function listContracts(manifest: Manifest): Contracts {
  const { current, uniswap } = manifest;
  const addresses: Record<string, string | undefined> = {
    launch_factory: current.launch_factory.address,
    fee_locker: current.fee_locker.address,
    splitter_factory: current.splitter_factory.address,
    splitter_implementation: current.splitter_implementation.address,
    vesting_factory: current.vesting_factory.address,
    vesting_implementation: current.vesting_implementation.address,
    opening_factory: current.opening_factory.address,
    opening_implementation: current.opening_implementation.address,
    gas_station: manifest.gas_station?.address,
    treasury: manifest.treasury,
    wrapped_native: manifest.wrapped_native.address,
    uniswap_factory: uniswap.factory.address,
    uniswap_router: uniswap.router.address,
    uniswap_quoter: uniswap.quoter.address,
    multicall3: manifest.multicall3?.address,
    eth_usd_pool: manifest.eth_usd?.pool,
    stablecoin: manifest.eth_usd?.stablecoin.address,
  };
  const named = Object.entries(addresses).flatMap(([name, address]) => (address ? [[name, address] as const] : []));
  return Object.fromEntries(named);
}
