import type { Config } from "../../config.ts";
import type { LimitClass } from "../../route.ts";
import { ErrorWithHeaders } from "../sendError.ts";

/** Allows `quota` requests of one subject in each fixed window, which begins with the subject's first request. */
export type Policy = { name: PolicyName; quota: number; windowMs: number };

/**
 * A limit class, or one of three policies for requests with a credential: `account` counts all credentials of one account,
 * `address` all accounts that one client address uses, `auth` refused credentials.
 */
export type PolicyName = Exclude<LimitClass, "none"> | "account" | "address" | "auth";

/** The rest of a subject's quota in its current window. */
export type Quota = { policy: Policy; remaining: number; resetMs: number };

/** Quota of an account, as a multiple of the quota of one key. */
const keysPerAccount = 5;

/** Quota of a client address, as a multiple of the quota of one account: accounts are free, one for each wallet. */
const accountsPerAddress = 2;

/** Returns the policies by name. */
export function getPolicies(config: Config): Record<PolicyName, Policy> {
  // A window of `burst / rate` seconds allows bursts up to the quota, and the rate in the long run.
  const policy = (name: PolicyName, ratePerSecond: number, burst: number, factor = 1): Policy => ({
    name,
    quota: burst * factor,
    windowMs: Math.max(1, Math.round((burst / ratePerSecond) * 1000)),
  });
  const { WRITE_LIMIT_PER_SECOND: rate, WRITE_LIMIT_BURST: burst } = config;
  return {
    read: policy("read", config.READ_LIMIT_PER_SECOND, config.READ_LIMIT_BURST),
    write: policy("write", rate, burst),
    upload: policy("upload", config.UPLOAD_LIMIT_PER_SECOND, config.UPLOAD_LIMIT_BURST),
    account: policy("account", rate, burst, keysPerAccount),
    address: policy("address", rate, burst, keysPerAccount * accountsPerAddress),
    auth: policy("auth", rate, burst),
  };
}

const toSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

/** Formats the `RateLimit-Policy` of a policy: its quota and its window in seconds. */
export function formatRateLimitPolicy({ name, quota, windowMs }: Policy): string {
  return `"${name}";q=${quota};w=${toSeconds(windowMs)}`;
}

/** Formats the `RateLimit` of a quota: the requests that are left, and the seconds until the window ends. */
export function formatRateLimit({ policy, remaining, resetMs }: Quota): string {
  return `"${policy.name}";r=${remaining};t=${toSeconds(resetMs)}`;
}

/** A request above the quota of its policy. */
export class RateLimited extends ErrorWithHeaders {
  constructor(policy: Policy, resetMs: number) {
    const seconds = toSeconds(resetMs);
    const headers = {
      "retry-after": String(seconds),
      "ratelimit-policy": formatRateLimitPolicy(policy),
      ratelimit: formatRateLimit({ policy, remaining: 0, resetMs }),
    };
    const message = `Too many requests (${policy.name}); try again in ${seconds} s.`;
    super("rate_limited", message, headers, { policy: policy.name, retry_after_seconds: seconds });
  }
}
