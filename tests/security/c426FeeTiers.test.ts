import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeDraft, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
}, 120_000);
afterAll(() => stack?.close());

describe("C4-26 a fee tier without launches", () => {
  it.each([
    [50, "with recipients", {}],
    [30, "with recipients", {}],
    [10, "with recipients", {}],
    [50, "without recipients", { recipients: [] }],
    [10, "without recipients", { recipients: [] }],
  ])("C4-26 the splitter of a draft of %i bp %s is refused before it costs gas", async (fee_bps, _, more) => {
    const intent_id = await storeDraft(stack, { fee_bps, ...more });
    const { status, body } = await stack.call("POST", "/splits/transactions", {
      intent_id,
      wallet: wallets[0]!.address,
    });
    expect([status, body.error?.code, body.error?.details]).toEqual([422, "fee_tier_not_launchable", { fee_bps }]);
    expect(body.transaction).toBeUndefined();
  });

  it("C4-26 the splitter of a draft of 100 bp is prepared", async () => {
    const intent_id = await storeDraft(stack, { fee_bps: 100 });
    const { status } = await stack.call("POST", "/splits/transactions", { intent_id, wallet: wallets[0]!.address });
    expect(status).toBe(200);
  });
});
