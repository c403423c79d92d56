import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../deps.ts";

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

const places = new WeakMap<Deps, ReturnType<typeof createOpenStreams>>();

function createOpenStreams({ config }: Deps) {
  return {
    ofAddress: createPlaces(config.STREAMS_PER_ADDRESS, "from this address"),
    ofAccount: createPlaces(config.STREAMS_PER_ACCOUNT, "of this account"),
  };
}

/** The places that live streams of all kinds take in a process. */
export function openStreamsOf(deps: Deps): ReturnType<typeof createOpenStreams> {
  let found = places.get(deps);
  if (found === undefined) {
    found = createOpenStreams(deps);
    places.set(deps, found);
  }
  return found;
}
