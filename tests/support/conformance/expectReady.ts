import { expect } from "vitest";
import { target } from "./target.ts";

/** Checks the required fields of every prepared transaction. Source: docs/api.md, UnsignedResult. */
export function expectReady(body: any, action: string, from: string): void {
  expect(body).toMatchObject({
    action,
    status: "ready",
    simulation: { ok: true },
    manifest: { chain_id: target.chainId },
  });
  expect(body.transaction.from).toBe(from);
  expect(Number(body.transaction.chainId)).toBe(target.chainId);
  for (const quantity of [body.transaction.value, body.transaction.gas])
    expect(quantity).toMatch(/^0x(0|[1-9a-f][0-9a-f]*)$/);
  expect(BigInt(body.transaction.gas)).toBeGreaterThanOrEqual(BigInt(body.simulation.gas_used));
  expect(body.simulation.block_number).toBe(body.block_number);
  expect(body.step.total).toBeGreaterThanOrEqual(body.step.index);
}
