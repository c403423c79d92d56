import type { Deps } from "../../deps.ts";
import { type StationStanding, stationStanding } from "./stationStanding.ts";

/** How long somebody who only describes the service waits for the chain. */
const patienceMs = 1_500;

export type KnownStanding = Pick<StationStanding, "available" | "configured" | "reason">;

/**
 * The gas station's standing for those who only tell it: what this deployment has does not depend on whether the chain
 * answers now, and a station that cannot be asked is closed. Never throws.
 */
export async function knownStanding(deps: Deps): Promise<KnownStanding> {
  const closed: KnownStanding = { available: false, configured: true, reason: "The station cannot be asked now." };
  const answered = new AbortController();
  try {
    const waited = deps.clock.sleep(patienceMs, answered.signal).then(
      () => closed,
      () => closed,
    );
    const { available, configured, reason } = await Promise.race([stationStanding(deps), waited]);
    return { available, configured, reason };
  } catch (error) {
    deps.log.debug({ err: error }, "the gas station could not be asked");
    return closed;
  } finally {
    answered.abort();
  }
}
