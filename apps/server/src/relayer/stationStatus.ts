import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { formatEther, type Hex } from "viem";
import { awaitChain } from "../chain/rpcError.ts";
import type { Runtime } from "../runtime.ts";
import type { RelayerKey } from "./relayerKey.ts";
import { readDailySpend } from "./relayerTransactions.ts";

type StatusRuntime = Pick<Runtime, "chain" | "config" | "clock" | "db" | "log" | "metrics">;

/** The availability of the gas station. */
export type StationStatus =
  | { available: false; configured: boolean; reason: string }
  | { available: true; configured: true; reason: null; floatInWei: bigint; relayer: Hex; spentInWei: bigint };

/** The status without amounts, for descriptions of the service. */
export type StationSummary = Pick<StationStatus, "available" | "configured" | "reason">;

/** How long a status is cached. The station's own checks are authoritative, so that a stale balance is harmless. */
const cachedMs = 1_000;

/** How long a description of the service waits for the chain. */
const summaryTimeoutMs = 1_500;

/** Reads the gas station's status, at most once a second for a process. */
export type StationMonitor = {
  /**
   * The status: configuration, the owner's switches, float, the relayer's balance, the day's cap.
   *
   * @throws SlipwayError `chain_unavailable`, or the database's error.
   */
  read(): Promise<StationStatus>;
  /** The status for descriptions: a station whose chain does not answer in time is unavailable. Never throws. */
  summarize(): Promise<StationSummary>;
};

/** The float of the station, the balance of the relayer, and what both spent in the last 24 hours. */
type StationAmounts = { floatInWei: bigint; balanceInWei: bigint; spentInWei: bigint };

/** Creates the monitor of a process. */
export function createStationMonitor(runtime: StatusRuntime, relayer: RelayerKey | null): StationMonitor {
  const { clock, config, log, metrics } = runtime;
  let cached: { at: number; status: Promise<StationStatus> } | null = null;
  let alarm = "";
  let closedBecause: string | null = null;

  const read = (): Promise<StationStatus> => {
    const now = clock.now();
    if (cached !== null && now - cached.at < cachedMs) return cached.status;
    const status = readStatus(runtime, relayer, report);
    cached = { at: now, status };
    // Each caller awaits the promise itself, so that a failure is cached for this second too.
    status.then((current) => reportStatus(current)).catch(() => undefined);
    return status;
  };

  /** Measures the status of a station with a relayer, and logs why it takes no top-ups, once for each reason. */
  const reportStatus = ({ reason }: StationStatus) => {
    if (relayer !== null) metrics.gasStationAlarm.set({ alarm: "closed" }, reason === null ? 0 : 1);
    if (relayer !== null && reason !== null && reason !== closedBecause)
      log.warn({ reason }, "gas station unavailable");
    closedBecause = reason;
  };

  /** Logs a low float and a relayer balance out of its bounds, once for each change. */
  const report = ({ floatInWei, balanceInWei, spentInWei }: StationAmounts) => {
    metrics.gasStationFloat.set(Number(formatEther(floatInWei)));
    metrics.relayerBalance.set(Number(formatEther(balanceInWei)));
    metrics.gasStationSpent.set(Number(spentInWei) / Number(config.GAS_STATION_DAILY_CAP_WEI));
    const alarms = [
      { name: "float_low", text: "gas station float low", raised: floatInWei < config.GAS_STATION_FLOAT_ALARM_WEI },
      { name: "relayer_low", text: "relayer balance below its floor", raised: balanceInWei < config.RELAYER_FLOOR_WEI },
      {
        name: "relayer_high",
        text: "relayer balance above its ceiling",
        raised: balanceInWei > config.RELAYER_CEILING_WEI,
      },
    ];
    for (const { name, raised } of alarms) metrics.gasStationAlarm.set({ alarm: name }, raised ? 1 : 0);
    const next = alarms.flatMap(({ text, raised }) => (raised ? [text] : [])).join("; ");
    if (next !== alarm && next !== "") {
      log.warn({ float_wei: floatInWei.toString(), relayer_wei: balanceInWei.toString() }, next);
    }
    alarm = next;
  };

  return {
    read,
    async summarize() {
      const notAnswering: StationSummary = {
        available: false,
        configured: true,
        reason: "Gas station status is unavailable.",
      };
      const answered = new AbortController();
      try {
        const timeout = clock.sleep(summaryTimeoutMs, answered.signal).then(
          () => notAnswering,
          () => notAnswering,
        );
        const { available, configured, reason } = await Promise.race([read(), timeout]);
        return { available, configured, reason };
      } catch (error) {
        log.debug({ err: error }, "gas station status read failed");
        return notAnswering;
      } finally {
        answered.abort();
      }
    },
  };
}

const createUnavailable = (reason: string, configured = true): StationStatus => ({
  available: false,
  configured,
  reason,
});

async function readStatus(
  { chain, config, db }: StatusRuntime,
  relayer: RelayerKey | null,
  report: (amounts: StationAmounts) => void,
): Promise<StationStatus> {
  const { manifest, verified } = chain.manifestState();
  if (relayer === null) return createUnavailable("Not configured by the operator.", false);
  if (!manifest?.gas_station) return createUnavailable("The manifest names no gas station.", false);
  if (manifest.eth_usd === null) return createUnavailable("The manifest names no ETH/USD pool for the price.", false);
  if (manifest.gas_station_tokens.length === 0)
    return createUnavailable("The manifest names no token that the station accepts.", false);
  if (!verified) return createUnavailable("The chain is not proven against the pinned manifest.");

  const station = { address: manifest.gas_station.address as Hex, abi: gasStationAbi } as const;
  const { client } = chain;
  const [role, isPaused, floatInWei, balanceInWei, spentInWei] = await awaitChain(
    Promise.all([
      client.readContract({ ...station, functionName: "relayer" }),
      client.readContract({ ...station, functionName: "paused" }),
      client.getBalance({ address: station.address }),
      client.getBalance({ address: relayer.address }),
      readDailySpend(db.api, { chainId: manifest.chain_id, sender: relayer.address.toLowerCase() }, "top-up"),
    ]),
  );
  report({ floatInWei, balanceInWei, spentInWei });
  if (role.toLowerCase() !== relayer.address.toLowerCase())
    return createUnavailable("The relayer's key is not the station's relayer.");
  if (isPaused) return createUnavailable("The owner has paused the station.");
  if (balanceInWei < config.RELAYER_FLOOR_WEI) return createUnavailable("The relayer has too little for gas.");
  if (floatInWei === 0n) return createUnavailable("The station has no float.");
  if (spentInWei >= config.GAS_STATION_DAILY_CAP_WEI) return createUnavailable("The day's cap is used up.");
  return { available: true, configured: true, reason: null, floatInWei, relayer: relayer.address, spentInWei };
}
