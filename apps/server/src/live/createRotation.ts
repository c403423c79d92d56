import type { Clock } from "../clock.ts";

/** One call a second, and each member in one of these seconds. */
const slots = 30;
const slotMs = 1_000;
/** A member is called again after so many ticks at the least: 30 s, less 1. */
const minTicks = slots - 1;

type Member = { call: () => void; slot: number; calledAt: number };

/**
 * Calls each member every 30 seconds, to one second, members spread over 30 slots. Those that join within one second are in
 * one slot; what is above a slot's share moves to the next one with each round, a second later, until all are even.
 * Runs while there are members.
 */
export function createRotation(clock: Pick<Clock, "sleep" | "now">) {
  const members = Array.from({ length: slots }, () => new Set<Member>());
  let count = 0;
  /** The number of the current tick; a member joins the slot that was called last. */
  let tick = 0;
  let running: AbortController | null = null;

  const callSlot = () => {
    const slot = members[tick % slots]!;
    const next = members[(tick + 1) % slots]!;
    const share = Math.ceil(count / slots);
    for (const member of [...slot]) {
      if (tick - member.calledAt < minTicks) continue;
      member.calledAt = tick;
      member.call();
      if (slot.size <= share || !slot.delete(member)) continue;
      member.slot = (tick + 1) % slots;
      next.add(member);
    }
  };

  const run = async (signal: AbortSignal) => {
    let due = clock.now();
    while (!signal.aborted) {
      due += slotMs;
      const late = clock.now() - due;
      // A clock that was set, or a process that slept: no seconds are made up for.
      if (Math.abs(late) > slotMs) due = clock.now() + (late > 0 ? 0 : slotMs);
      await clock.sleep(Math.max(0, due - clock.now()), signal).catch(() => undefined);
      if (signal.aborted) return;
      tick++;
      callSlot();
    }
  };

  return {
    /** Calls the member every 30 seconds from now, the first time in 30. @returns Removes it. */
    add(call: () => void): () => void {
      const member: Member = { call, slot: tick % slots, calledAt: tick };
      members[member.slot]!.add(member);
      count++;
      if (running === null) {
        running = new AbortController();
        void run(running.signal);
      }
      return () => {
        if (!members[member.slot]!.delete(member)) return;
        count--;
        if (count > 0) return;
        running?.abort();
        running = null;
      };
    },
  };
}
