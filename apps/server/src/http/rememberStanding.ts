import { LRUCache } from "lru-cache";
import type { Clock } from "../deps.ts";
import type { Principal } from "./principal.ts";

/** How long a credential's standing is remembered: what is revoked is refused within a second. */
const rememberedMs = 500;

/**
 * Looks a credential up, or remembers what the last look said.
 *
 * @returns A function of the credential's hash and the look; a look that fails is not remembered.
 */
export function rememberStanding(clock: Pick<Clock, "now">) {
  const known = new LRUCache<string, { principal: Principal | null }>({
    max: 10_000,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
  return async (hash: string, look: () => Promise<Principal | null>): Promise<Principal | null> => {
    const found = known.get(hash);
    if (found !== undefined) return found.principal;
    // From before the look on: a revocation that it just missed must not be remembered for longer.
    const startedAt = clock.now();
    const principal = await look();
    known.set(hash, { principal }, { start: startedAt });
    return principal;
  };
}
