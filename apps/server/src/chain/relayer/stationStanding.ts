import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { type Hex, formatEther } from "viem";
import { spentInDay } from "../../db/relayerTransactions.ts";
import type { Deps } from "../../deps.ts";
import { fromChain } from "../chainUnavailable.ts";
import { relayerOf } from "./relayerOf.ts";

type StandingDeps = Pick<Deps, "chain" | "config" | "clock" | "db" | "log" | "metrics">;

/** Whether the gas station can pay now. */
export type StationStanding =
  | { available: false; configured: boolean; reason: string }
  | { available: true; configured: true; reason: null; floatInWei: bigint; relayer: Hex; spentInWei: bigint };

/** How long an answer counts: balances change with each top-up, and the station's own checks are the last word. */
const rememberedMs = 1_000;

const remembered = new WeakMap<Deps["config"], { at: number; standing: Promise<StationStanding> }>();

/**
 * What stands between the station and a top-up: its configuration, its owner's switches, its float, the relayer's
 * balance, the day's cap. Remembered for a second.
 *
 * @throws SlipwayError `chain_unavailable`, or the database's error.
 */
export function stationStanding(deps: StandingDeps): Promise<StationStanding> {
  const now = deps.clock.now();
  const known = remembered.get(deps.config);
  if (known !== undefined && now - known.at < rememberedMs) return known.standing;
  const standing = readStanding(deps);
  remembered.set(deps.config, { at: now, standing });
  // Whoever waits for it hears of a failure; for this second nobody need ask again.
  standing.catch(() => undefined);
  return standing;
}

const off = (reason: string, configured = true): StationStanding => ({ available: false, configured, reason });

async function readStanding(deps: StandingDeps): Promise<StationStanding> {
  const { manifest, pinned, verified } = deps.chain.manifestState();
  const relayer = relayerOf(deps);
  if (relayer === null) return off("Not configured by the operator.", false);
  if (!manifest?.gas_station) return off("The manifest names no gas station.", false);
  if (manifest.eth_usd === null) return off("The manifest names no ETH/USD pool to price by.", false);
  if (manifest.gas_station_tokens.length === 0)
    return off("The manifest names no token that the station takes.", false);
  if (!pinned || !verified) return off("The chain is not proven against the pinned manifest.");

  const station = { address: manifest.gas_station.address as Hex, abi: gasStationAbi } as const;
  const { client } = deps.chain;
  const [role, isPaused, floatInWei, balanceInWei, spentInWei] = await fromChain(
    Promise.all([
      client.readContract({ ...station, functionName: "relayer" }),
      client.readContract({ ...station, functionName: "paused" }),
      client.getBalance({ address: station.address }),
      client.getBalance({ address: relayer.address }),
      spentInDay(deps.db.api, { chainId: manifest.chain_id, sender: relayer.address.toLowerCase() }),
    ]),
  );
  report(deps, floatInWei, balanceInWei);
  if (role.toLowerCase() !== relayer.address.toLowerCase())
    return off("The relayer's key is not the station's relayer.");
  if (isPaused) return off("The station is paused by its owner.");
  if (balanceInWei < deps.config.RELAYER_FLOOR_WEI) return off("The relayer has too little for gas.");
  if (floatInWei === 0n) return off("The station has no float.");
  if (spentInWei >= deps.config.GAS_STATION_DAILY_CAP_WEI) return off("The day's cap is used up.");
  return { available: true, configured: true, reason: null, floatInWei, relayer: relayer.address, spentInWei };
}

const alarms = new WeakMap<Deps["config"], string>();

/** Tells an operator of a float that runs low and of a relayer that holds too little or too much, once for each change. */
function report({ config, log, metrics }: StandingDeps, floatInWei: bigint, balanceInWei: bigint): void {
  metrics.gasStationFloat.set(Number(formatEther(floatInWei)));
  metrics.relayerBalance.set(Number(formatEther(balanceInWei)));
  const raised = [
    floatInWei < config.GAS_STATION_FLOAT_ALARM_WEI ? "the gas station's float is low" : "",
    balanceInWei < config.RELAYER_FLOOR_WEI ? "the relayer's balance is below its floor" : "",
    balanceInWei > config.RELAYER_CEILING_WEI ? "the relayer holds more than its ceiling" : "",
  ].filter(Boolean);
  const alarm = raised.join("; ");
  if (alarm !== (alarms.get(config) ?? "") && alarm !== "") {
    log.warn({ float_wei: floatInWei.toString(), relayer_wei: balanceInWei.toString() }, alarm);
  }
  alarms.set(config, alarm);
}
