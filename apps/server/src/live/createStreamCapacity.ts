import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../config.ts";

/** Frees a slot; further calls have no effect. */
type Release = () => void;

/** Limits how many one holder has open at once; `refusal` is the message of one more. */
function createSlots(maxOpen: number, refusal: string) {
  const open = new Map<string, number>();
  return {
    /** @throws SlipwayError `rate_limited` when the holder has no slot left. */
    acquire(holder: string): Release {
      const count = open.get(holder) ?? 0;
      if (count >= maxOpen) {
        throw new SlipwayError("rate_limited", refusal);
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

/** Cards that are drawn for one client address at once: fewer than may wait, so that one leaves places to others. */
const cardsPerAddress = 4;

/** Concurrent work of a process for one holder: live streams, account exports, cards being drawn. */
export function createStreamCapacity(config: Pick<Config, "STREAMS_PER_ADDRESS" | "STREAMS_PER_ACCOUNT">) {
  const { STREAMS_PER_ADDRESS: perAddress, STREAMS_PER_ACCOUNT: perAccount } = config;
  const refuse = (count: number, whose: string) => `There are ${count} live streams open ${whose}; close one first.`;
  return {
    perAddress: createSlots(perAddress, refuse(perAddress, "from this address")),
    perAccount: createSlots(perAccount, refuse(perAccount, "of this account")),
    exports: createSlots(1, "The account is being exported already; read that export to its end first."),
    cards: createSlots(
      cardsPerAddress,
      `${cardsPerAddress} cards are being drawn for this address; try again when they are.`,
    ),
  };
}

export type StreamCapacity = ReturnType<typeof createStreamCapacity>;
