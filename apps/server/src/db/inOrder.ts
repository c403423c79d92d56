import type { Client } from "./database.ts";

type Steps = readonly (() => Promise<unknown>)[];
type Results<S extends Steps> = { -readonly [Place in keyof S]: Awaited<ReturnType<S[Place]>> };

/**
 * Runs steps on one connection in their order. Where the connection pipelines, all are sent before the first answer is
 * awaited: one round trip instead of one each. A step that sends several statements does so by `inOrder` too, since
 * what it sends after an answer comes after the other steps.
 *
 * @returns What the steps gave.
 * @throws The error of the first step that failed; no step is under way any more.
 */
export async function inOrder<const S extends Steps>(client: Client, steps: S): Promise<Results<S>> {
  const results: unknown[] = [];
  if (!client.pipeline) {
    for (const step of steps) results.push(await step());
    return results as Results<S>;
  }
  for (const settled of await Promise.allSettled(steps.map((step) => step()))) {
    // Within a transaction those after it fail too, and say only that it is aborted.
    if (settled.status === "rejected") throw settled.reason;
    results.push(settled.value);
  }
  return results as Results<S>;
}
