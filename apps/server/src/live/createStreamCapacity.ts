import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../config.ts";
import { createStreamLimit } from "./createStreamLimit.ts";

/** Frees a slot; further calls have no effect. */
type Release = () => void;

/** Limits the open slots per holder. `refusal` is the error message for another slot. */
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

/** The share of a process's connections that live streams may use: the others are for requests. */
const streamShare = 0.5;

/** Maximum cards drawn at once for one client address: fewer than may wait in total, so that others get places. */
const cardsPerAddress = 4;

/** Limits a process's concurrent work: live streams in total and per holder, account exports and cards being drawn per holder. */
export function createStreamCapacity(
  config: Pick<Config, "MAX_CONNECTIONS" | "STREAMS_PER_ADDRESS" | "STREAMS_PER_ACCOUNT">,
) {
  const { MAX_CONNECTIONS: maxConnections, STREAMS_PER_ADDRESS: perAddress, STREAMS_PER_ACCOUNT: perAccount } = config;
  const refuse = (count: number, whose: string) => `There are ${count} live streams open ${whose}; close one first.`;
  return {
    streams: createStreamLimit(Math.max(1, Math.floor(maxConnections * streamShare))),
    perAddress: createSlots(perAddress, refuse(perAddress, "from this address")),
    perAccount: createSlots(perAccount, refuse(perAccount, "of this account")),
    exports: createSlots(1, "Another export of this account is in progress; read it to the end first."),
    cards: createSlots(
      cardsPerAddress,
      `${cardsPerAddress} cards are being drawn for this address; try again when they are.`,
    ),
  };
}

export type StreamCapacity = ReturnType<typeof createStreamCapacity>;
