import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../config.ts";

/** Frees a slot; further calls have no effect. */
type Release = () => void;

/** Limits how many streams one holder has open at once. */
function createSlots(maxOpen: number, whose: string) {
  const open = new Map<string, number>();
  return {
    /** @throws SlipwayError `rate_limited` when the holder has no slot left. */
    acquire(holder: string): Release {
      const count = open.get(holder) ?? 0;
      if (count >= maxOpen) {
        throw new SlipwayError("rate_limited", `There are ${maxOpen} live streams open ${whose}; close one first.`);
      }
      open.set(holder, count + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = open.get(holder)! - 1;
        if (left === 0) open.delete(holder);
        else open.set(holder, left);
      };
    },
  };
}

/** The number of live streams, of all kinds, that a process keeps open for an address and for an account. */
export function createStreamCapacity(config: Pick<Config, "STREAMS_PER_ADDRESS" | "STREAMS_PER_ACCOUNT">) {
  return {
    perAddress: createSlots(config.STREAMS_PER_ADDRESS, "from this address"),
    perAccount: createSlots(config.STREAMS_PER_ACCOUNT, "of this account"),
  };
}

export type StreamCapacity = ReturnType<typeof createStreamCapacity>;
