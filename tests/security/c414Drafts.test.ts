import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeDraft } from "../support/security/actors.ts";
import { type Account, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

let stack: TestStack;
let ada: Account;
let bob: Account;

beforeAll(async () => {
  stack = await startTestStack();
  [ada, bob] = [await stack.createAccount("ada"), await stack.createAccount("bob")];
});
afterAll(() => stack?.close());

const listed = async (account: Account): Promise<{ id: string; status: string }[]> =>
  (await stack.call("GET", "/intents", undefined, account)).body.items;

describe("C4-14 drafts", () => {
  it("C4-14 are listed to their owner alone, the latest 50 of them, newest first", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 53; i++) ids.push(await storeDraft(stack, {}, ada));
    await storeDraft(stack, {}, bob);
    const items = await listed(ada);
    expect(items.map(({ id }) => id)).toEqual(ids.slice(-50).reverse());
    expect(items.every(({ status }) => status === "draft")).toBe(true);
    expect(await listed(bob)).toHaveLength(1);
  });

  it("C4-14 have ids that do not lead from one to the next: 74 random bits in each, none like another", async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => storeDraft(stack, {}, ada)));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const random = ids.map((id) => id.slice(15).replaceAll("-", ""));
    // Each of the 18 positions takes many values, so no part is a counter.
    for (let place = 0; place < random[0]!.length; place++) {
      if (place === 3) continue;
      expect(new Set(random.map((text) => text[place])).size, `place ${place}`).toBeGreaterThan(4);
    }
  });

  it("C4-14 a guess beside a known id finds nothing, not even for who knows the id", async () => {
    const id = await storeDraft(stack, {}, ada);
    const next = id.slice(0, -1) + ((Number.parseInt(id.slice(-1), 16) + 1) % 16).toString(16);
    for (const [guess, account] of [
      [next, bob],
      [id, bob],
      [next, ada],
    ] as const) {
      const body = { intent_id: guess, wallet: "0x1111111111111111111111111111111111111111" };
      const answer = await stack.call("POST", "/splits/transactions", body, account);
      expect([answer.status, answer.body.error.code]).toEqual([422, "draft_not_found"]);
    }
  });
});
