import { SlipwayError } from "@slipway/protocol/errors";
import { pino } from "pino";
import { expect, test } from "vitest";
import { type Revocation, revalidateCredentials } from "./revalidateCredentials.ts";

const intervalMs = 3_600_000;

/** A clock that a test steps; each step runs the waiting code. */
function createSteppedClock() {
  let now = 1_000_000;
  const sleeps = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: async (milliseconds: number, signal?: AbortSignal) =>
      await new Promise<void>((resolve, reject) => {
        const sleep = { at: now + milliseconds, wake: resolve };
        sleeps.add(sleep);
        const abort = () => {
          sleeps.delete(sleep);
          reject(new Error("aborted"));
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true });
      }),
    step: async (milliseconds: number) => {
      for (const end = now + milliseconds; now < end; ) {
        now = Math.min(end, now + 50);
        for (const sleep of [...sleeps]) {
          if (sleep.at > now || !sleeps.delete(sleep)) continue;
          sleep.wake();
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Credentials of accounts: `a1` and `a2` belong to the account `a`. */
function watchCredentials(names: readonly string[]) {
  const clock = createSteppedClock();
  const verified: string[] = [];
  const closed: Record<string, Revocation> = {};
  const refused = new Set<string>();
  const expiries: Record<string, Date> = {};
  const ignore: (accountId: string | null) => void = () => undefined;
  const state = { fails: false, wake: ignore };
  const { watch } = revalidateCredentials({
    clock,
    log: pino({ level: "silent" }),
    intervalMs,
    listen: (wake) => {
      state.wake = wake;
      return { stop: async () => undefined };
    },
    verify: async ({ authorization }) => {
      const name = authorization!;
      verified.push(name);
      if (state.fails) throw new SlipwayError("storage_unavailable");
      const isExpired = (expiries[name]?.getTime() ?? Number.POSITIVE_INFINITY) <= clock.now();
      if (refused.has(name) || isExpired) throw new SlipwayError("unauthorized");
      const principal = { accountId: name[0]!, keyId: name, sessionId: null, signedInAt: null, scopes: [] };
      return { ...principal, expiresAt: expiries[name] ?? null };
    },
  });
  const open = (name: string) => {
    const subscriber = { accountId: name[0]!, expiresAt: expiries[name] ?? null };
    const end = watch({ authorization: name }, subscriber, (revocation) => {
      closed[name] = revocation;
      end();
    });
  };
  for (const name of names) open(name);
  return { clock, verified, closed, refused, expiries, state, open };
}

test("C4-18 a notification closes the account's revoked connections within two seconds, and verifies no other account", async () => {
  const { clock, verified, closed, refused, state } = watchCredentials(["a1", "a2", "b1", "c1"]);
  refused.add("a1");
  await clock.step(5_000);
  expect(verified).toEqual([]);
  // Many notifications of an account cause one verification of each of its credentials.
  for (let count = 0; count < 100; count++) state.wake("a");
  await clock.step(2_000);
  expect(closed).toEqual({ a1: "unauthorized" });
  expect(verified.sort()).toEqual(["a1", "a2"]);
});

test("C4-18 a second notification is not covered by the verification of the first, which may use a cached principal", async () => {
  const { clock, verified, state } = watchCredentials(["a1"]);
  state.wake("a");
  await clock.step(500);
  state.wake("a");
  await clock.step(2_000);
  expect(verified).toEqual(["a1", "a1"]);
  // Continuous notifications neither postpone nor repeat the verification.
  for (let count = 0; count < 100; count++) {
    state.wake("a");
    await clock.step(50);
  }
  expect(verified.length - 2).toBeGreaterThan(3);
  expect(verified.length - 2).toBeLessThan(10);
});

test("C4-18 a notification during the handshake counts for the connection that it opens", async () => {
  const { clock, closed, refused, state, open } = watchCredentials(["b1"]);
  state.wake("a");
  await clock.step(5_000);
  refused.add("a1");
  open("a1");
  await clock.step(2_000);
  expect(closed).toEqual({ a1: "unauthorized" });
});

test("C4-18 an expired credential closes its connection within two seconds without any notification", async () => {
  const { clock, verified, closed, expiries, open } = watchCredentials(["b1"]);
  expiries.a1 = new Date(clock.now() + 10_000);
  open("a1");
  await clock.step(9_000);
  expect([closed, verified]).toEqual([{}, []]);
  await clock.step(3_000);
  expect(closed).toEqual({ a1: "unauthorized" });
});

test("C4-18 after a loss of notifications all credentials are verified once", async () => {
  const { clock, verified, closed, refused, state } = watchCredentials(["a1", "b1"]);
  refused.add("b1");
  state.wake(null);
  await clock.step(2_000);
  expect(verified).toEqual(["a1", "b1"]);
  expect(closed).toEqual({ b1: "unauthorized" });
});

test("C4-18 while the database fails, connections stay, and each credential is verified at most once a second", async () => {
  const { clock, verified, closed, refused, state } = watchCredentials(["a1"]);
  refused.add("a1");
  state.fails = true;
  state.wake("a");
  await clock.step(5_000);
  expect(closed).toEqual({});
  expect(verified.length).toBeLessThanOrEqual(5);
  state.fails = false;
  await clock.step(2_000);
  expect(closed).toEqual({ a1: "unauthorized" });
});
