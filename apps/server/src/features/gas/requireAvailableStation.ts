import { SlipwayError } from "@slipway/protocol/errors";
import type { GasStationToken, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import type { StationStatus } from "../../relayer/stationStatus.ts";

/** A gas station that can pay, with its manifest entries and status. */
export type AvailableStation = {
  manifest: Manifest;
  address: Hex;
  ethUsd: NonNullable<Manifest["eth_usd"]>;
  status: Extract<StationStatus, { available: true }>;
};

/**
 * Returns the verified gas station, which must be able to pay.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `chain_unavailable`, `gas_station_unavailable`.
 */
export async function requireAvailableStation(deps: Deps): Promise<AvailableStation> {
  const { manifest } = getProvenManifest(deps.chain);
  const status = await deps.gasStation.read();
  if (!status.available) throw createStationUnavailable(status.reason);
  if (!manifest.gas_station || !manifest.eth_usd) throw createStationUnavailable("The manifest names no gas station.");
  return { manifest, address: checksummed(manifest.gas_station.address), ethUsd: manifest.eth_usd, status };
}

/** Creates the error of a station that cannot pay. @param reason - A sentence for the caller. */
export function createStationUnavailable(reason: string, cause?: unknown): SlipwayError {
  return new SlipwayError("gas_station_unavailable", reason, { cause });
}

/**
 * Checks that a top-up fits the float and the rest of the daily cap.
 *
 * @throws SlipwayError `gas_station_unavailable` if the top-up does not fit.
 */
export function checkPayout(deps: Pick<Deps, "config">, { status }: AvailableStation, amountInWei: bigint): void {
  if (amountInWei > status.floatInWei)
    throw createStationUnavailable("The station's float is smaller than this top-up.");
  if (status.spentInWei + amountInWei > deps.config.GAS_STATION_DAILY_CAP_WEI) {
    throw createStationUnavailable("This top-up exceeds the remaining daily cap.");
  }
}

/**
 * Returns the accepted token with an address or symbol. A token whose own checks failed is rejected.
 *
 * @throws SlipwayError `invalid_fields` for another token, `gas_station_unavailable` for a disabled one.
 */
export function requireAcceptedToken(
  deps: Pick<Deps, "chain">,
  manifest: Manifest,
  requested: string,
): GasStationToken {
  const token = manifest.gas_station_tokens.find(
    ({ address, symbol }) => symbol === requested || address.toLowerCase() === requested.toLowerCase(),
  );
  if (token === undefined) {
    throw new SlipwayError(
      "invalid_fields",
      "The station does not accept this token; GET /config lists the accepted tokens.",
      {
        field: "token",
      },
    );
  }
  if (deps.chain.manifestState().disabledGasTokens.has(token.address.toLowerCase())) {
    throw createStationUnavailable(
      `${token.symbol} has changed since the station accepted the token; use another token.`,
    );
  }
  return token;
}
