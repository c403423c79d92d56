import type { Config } from "../../config.ts";
import type { LimitClass } from "../../route.ts";

/** A token bucket: `burst` requests at once, `ratePerSecond` in the long run. */
export type Policy = { name: PolicyName; ratePerSecond: number; burst: number };

/**
 * A class, or one of three that every guarded request also meets: `account`, all its keys together; `address`, all
 * accounts that one client uses; `auth`, failures.
 */
export type PolicyName = Exclude<LimitClass, "none"> | "account" | "address" | "auth";

/** How many times a key's writes all the keys of an account may make together. */
const keysAtOnce = 5;

/** How many accounts' worth one client address is given: anybody can make accounts, one for each wallet. */
const accountsAtOnce = 2;

/** The limits of a process, by name. */
export function policiesOf(config: Config): Record<PolicyName, Policy> {
  const of = (name: PolicyName, ratePerSecond: number, burst: number): Policy => ({ name, ratePerSecond, burst });
  const [rate, burst] = [config.WRITE_LIMIT_PER_SECOND, config.WRITE_LIMIT_BURST];
  return {
    read: of("read", config.READ_LIMIT_PER_SECOND, config.READ_LIMIT_BURST),
    write: of("write", rate, burst),
    upload: of("upload", config.UPLOAD_LIMIT_PER_SECOND, config.UPLOAD_LIMIT_BURST),
    account: of("account", rate * keysAtOnce, burst * keysAtOnce),
    address: of("address", rate * keysAtOnce * accountsAtOnce, burst * keysAtOnce * accountsAtOnce),
    auth: of("auth", rate, burst),
  };
}

/** The `RateLimit-Policy` of a policy: its quota, and the seconds in which the whole of it grows back. */
export function policyHeader({ name, burst, ratePerSecond }: Policy): string {
  return `"${name}";q=${burst};w=${Math.ceil(burst / ratePerSecond)}`;
}

/** The `RateLimit` of a policy: what is left, and the seconds until all is there again. */
export function limitHeader({ name, burst, ratePerSecond }: Policy, remaining: number): string {
  return `"${name}";r=${remaining};t=${Math.ceil((burst - remaining) / ratePerSecond)}`;
}
