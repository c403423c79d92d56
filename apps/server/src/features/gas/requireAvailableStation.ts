import { SlipwayError } from "@slipway/protocol/errors";
import type { GasStationToken, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { StationStatus } from "../../relayer/stationStatus.ts";
import type { Deps } from "../../deps.ts";

/** The gas station as it can be used now. */
export type AvailableStation = {
  manifest: Manifest;
  address: Hex;
  ethUsd: NonNullable<Manifest["eth_usd"]>;
  status: Extract<StationStatus, { available: true }>;
};

/**
 * The proven station, when it can pay.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `chain_unavailable`, `gas_station_unavailable`.
 */
export async function requireAvailableStation(deps: Deps): Promise<AvailableStation> {
  const { manifest } = getProvenManifest(deps.chain);
  const standing = await deps.gasStation.read();
  if (!standing.available) throw createStationUnavailable(standing.reason);
  if (!manifest.gas_station || !manifest.eth_usd) throw createStationUnavailable("The manifest names no gas station.");
  return { manifest, address: checksummed(manifest.gas_station.address), ethUsd: manifest.eth_usd, status: standing };
}

/** Why there is no top-up now. @param reason - A sentence for the caller. */
export function createStationUnavailable(reason: string, cause?: unknown): SlipwayError {
  return new SlipwayError("gas_station_unavailable", reason, { cause });
}

/**
 * What a top-up may take from the station.
 *
 * @throws SlipwayError `gas_station_unavailable` when the float or what is left of the day's cap is smaller.
 */
export function checkPayout(
  deps: Pick<Deps, "config">,
  { status: standing }: AvailableStation,
  amountInWei: bigint,
): void {
  if (amountInWei > standing.floatInWei)
    throw createStationUnavailable("The station's float is smaller than this top-up.");
  if (standing.spentInWei + amountInWei > deps.config.GAS_STATION_DAILY_CAP_WEI) {
    throw createStationUnavailable("This top-up is more than what is left of the day's cap.");
  }
}

/**
 * The accepted token that a caller names by address or symbol. A token whose own checks failed is refused alone.
 *
 * @throws SlipwayError `invalid_fields` for another token, `gas_station_unavailable` for one that is disabled.
 */
export function requireAcceptedToken(deps: Pick<Deps, "chain">, manifest: Manifest, asked: string): GasStationToken {
  const token = manifest.gas_station_tokens.find(
    ({ address, symbol }) => symbol === asked || address.toLowerCase() === asked.toLowerCase(),
  );
  if (token === undefined) {
    throw new SlipwayError(
      "invalid_fields",
      "The station does not take this token; GET /config lists those it takes.",
      {
        field: "token",
      },
    );
  }
  if (deps.chain.manifestState().disabledGasTokens.has(token.address.toLowerCase())) {
    throw createStationUnavailable(
      `${token.symbol} is no longer what it was when it was accepted; take another token.`,
    );
  }
  return token;
}
