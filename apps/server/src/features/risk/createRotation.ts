import type { Clock } from "../../clock.ts";

const roundMs = 30_000;
/** Milliseconds between two slots, and so the maximum by which a member's first call is early. */
const slotMs = 100;
const slots = roundMs / slotMs;
/** Ticks that are later than this are skipped. */
const maxLateMs = 1_000;

type Member = { call: () => void; slot: number; calledAt: number };

/**
 * Creates a rotation that calls each member every 30 seconds, spread over 300 slots of a tenth of a second. Members
 * that join within a slot's time share the slot. In each round, the members above a slot's share move to the next slot,
 * until all slots are even. The rotation runs while it has members.
 */
export function createRotation(clock: Pick<Clock, "sleep" | "now">) {
  const members = Array.from({ length: slots }, () => new Set<Member>());
  let count = 0;
  /** The number of the current tick; a member joins the slot that was called last. */
  let tick = 0;
  let running: AbortController | null = null;

  const callSlot = () => {
    const slot = members[tick % slots]!;
    const next = (tick + 1) % slots;
    const share = Math.ceil(count / slots);
    for (const member of [...slot]) {
      // The member moved here after its call in this round.
      if (tick - member.calledAt < slots) continue;
      member.calledAt = tick;
      member.call();
      if (slot.size <= share || !slot.delete(member)) continue;
      member.slot = next;
      members[next]!.add(member);
    }
  };

  const run = async (signal: AbortSignal) => {
    let due = clock.now();
    while (!signal.aborted) {
      due += slotMs;
      const late = clock.now() - due;
      // The clock was set, or the process slept.
      if (Math.abs(late) > maxLateMs) due = clock.now() + (late > 0 ? 0 : slotMs);
      await clock.sleep(Math.max(0, due - clock.now()), signal).catch(() => undefined);
      if (signal.aborted) return;
      tick++;
      callSlot();
    }
  };

  return {
    /** Adds a member, which is called every 30 seconds, first in 30 seconds. @returns Removes the member. */
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
