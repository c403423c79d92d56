import { deviationBps } from "@slipway/protocol/gas";
import type { GasStationToken } from "@slipway/protocol/manifest";
import type { PublicClient } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { createEndpointClient } from "../../chain/createEndpointClient.ts";
import { tryReadContracts } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createPriceReads, type NativePrice, type PriceAnswers, priceNative } from "./nativePrice.ts";
import { type AvailableStation, createStationUnavailable } from "./requireAvailableStation.ts";

/**
 * Reads the price at which the operator sells an amount of native for an accepted token. The operator of a single RPC
 * endpoint could otherwise set the price, so three prices must agree within GAS_STATION_MAX_DEVIATION_BPS:
 *
 * - the prices of two endpoints, if more than one is configured, also if only one responds;
 * - the price of each endpoint, and the indexed price.
 *
 * Each endpoint prices at its own newest block, because endpoints can be some blocks apart. Returns the larger price.
 *
 * @throws SlipwayError `gas_station_unavailable`, `chain_unavailable`.
 */
export async function readNativePrice(
  deps: Pick<Deps, "chain" | "config" | "readModel">,
  station: AvailableStation,
  token: GasStationToken,
  amountInWei: bigint,
): Promise<NativePrice> {
  const { config, chain, readModel } = deps;
  const reads = createPriceReads(station, amountInWei, config.GAS_STATION_TWAP_SECONDS);
  const [{ oracle }, ...answers] = await Promise.all([
    readModel.getEthUsd(),
    ...listPriceClients(chain).map((client) => tryReadContracts({ client }, "latest", reads)),
  ]);
  if (oracle.price === null)
    throw createStationUnavailable("The index has no reliable ETH/USD price; try again later.");
  const indexedEthUsd = oracle.price;
  const [first, second = first] = answers.map((answer) =>
    priceNative(config, station, token, amountInWei, answer as PriceAnswers, indexedEthUsd),
  ) as [NativePrice, NativePrice?];
  if (deviationBps(first.meanValue, second.meanValue) > config.GAS_STATION_MAX_DEVIATION_BPS) {
    throw createStationUnavailable("The RPC endpoints return different ETH/USD prices; try again later.");
  }
  return first.fairAmount > second.fairAmount ? first : second;
}

/** Returns the clients of two endpoints, or of the only configured endpoint. */
function listPriceClients({ rpc, client }: Pick<Chain, "rpc" | "client">): PublicClient[] {
  if (rpc.hosts === 1) return [client];
  const [first, second] = rpc.listIndependent();
  if (first === undefined || second === undefined) {
    throw createStationUnavailable("Only one RPC endpoint responds; the price needs two. Try again later.");
  }
  return [first, second].map((endpoint) => createEndpointClient(rpc, endpoint));
}
