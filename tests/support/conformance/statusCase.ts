import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { signIn } from "./browser.ts";
import { createCaller } from "./call.ts";
import { target } from "./target.ts";

/** Signs in a new account, with the plan if needed and possible. @returns the headers of its session */
export async function openSession(needsPlan: boolean): Promise<Record<string, string>> {
  const { accountId, headers } = await signIn(target.siteUrl);
  if (needsPlan && target.adminKey !== null) {
    await fetch(`${target.siteUrl}/api/admin/plans`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ account_id: accountId, plan: "subscriber" }),
    });
  }
  return headers;
}

/** Calls the stack of this run. */
export const caller = await createCaller({ ...target, signIn: openSession });
export const call = caller.call;

type CellOptions = {
  /** The service whose statuses are observed; default: the stack of this run. */
  observed?: Set<string>;
  /** Whether the test needs a wallet that signs. */
  signs?: boolean;
};

/**
 * Defines a test that proves cells of the endpoint x status matrix: it passes only if its calls received each of the
 * statuses, and then records the cells for `checkMatrix`.
 *
 * @param operation - Method and path as in the specification, e.g. `POST /intents`.
 */
export function statusCase(
  operation: string,
  statuses: number | readonly number[],
  name: string,
  prove: () => Promise<void>,
  { observed = caller.observed, signs = false }: CellOptions = {},
): void {
  const claimed = [statuses].flat().map((status) => `${operation} ${status}`);
  const run = signs && target.fixture === null ? it.skip : it;
  run(`${operation} ${[statuses].flat().join(", ")}: ${name}`, async () => {
    for (const one of claimed) observed.delete(one);
    await prove();
    for (const one of claimed) expect([...observed], `the test claims ${one} and never saw it`).toContain(one);
    for (const one of claimed) appendFileSync(target.cellsPath, `${JSON.stringify({ cell: one, name })}\n`);
  });
}
