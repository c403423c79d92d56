import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../config.ts";

/** Gives a place back; more than once is the same as once. */
type Release = () => void;

/** How many streams somebody may have open at once. */
function createPlaces(most: number, whose: string) {
  const taken = new Map<string, number>();
  return {
    /** @throws SlipwayError `rate_limited` when all places are taken. */
    take(who: string): Release {
      const count = taken.get(who) ?? 0;
      if (count >= most) {
        throw new SlipwayError("rate_limited", `There are ${most} live streams open ${whose}; close one first.`);
      }
      taken.set(who, count + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = taken.get(who)! - 1;
        if (left === 0) taken.delete(who);
        else taken.set(who, left);
      };
    },
  };
}

/** The number of live streams, of all kinds, that a process keeps open for an address and for an account. */
export function createStreamCapacity(config: Pick<Config, "STREAMS_PER_ADDRESS" | "STREAMS_PER_ACCOUNT">) {
  return {
    ofAddress: createPlaces(config.STREAMS_PER_ADDRESS, "from this address"),
    ofAccount: createPlaces(config.STREAMS_PER_ACCOUNT, "of this account"),
  };
}

export type StreamCapacity = ReturnType<typeof createStreamCapacity>;
