import { SlipwayError } from "@slipway/protocol/errors";
import { limitHeader, type Policy, policyHeader } from "./policies.ts";

/** A request more than its policy allows. */
export class RateLimited extends SlipwayError {
  /** What the refusal's answer says: the policy, and when to come back. */
  readonly headers: Record<string, string>;

  constructor(policy: Policy, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    super("rate_limited", `Too many requests (${policy.name}); try again in ${seconds} s.`, {
      details: { policy: policy.name, retry_after_seconds: seconds },
    });
    this.headers = {
      "retry-after": String(seconds),
      "ratelimit-policy": policyHeader(policy),
      ratelimit: limitHeader(policy, 0),
    };
  }
}
