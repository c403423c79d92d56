import { maxPreparedLaunches } from "@slipway/protocol/intent";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { randomSalt, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { deploySplitter } from "../support/security/launchDirectly.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const creator = wallets[0]!;
let stack: TestStack;
let splitter: Hex;
beforeAll(async () => {
  stack = await startTestStack();
  splitter = await deploySplitter(stack, creator);
});
afterAll(() => stack?.close());

const store = () =>
  storeDraft(stack, {
    recipients: [{ provider: "code_host", handle: "ada", wallet: creator.address, share_bps: 10_000 }],
  });
const prepare = (intent_id: string, salt: Hex, path = "transactions") =>
  stack.call("POST", `/launch/${path}`, { intent_id, wallet: creator.address, splitter, salt });

/** Prepares launches of a draft without the API. */
async function fill(intentId: string, count: number): Promise<void> {
  await stack.deps.db.api.query(
    `insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter)
     select '0x' || lpad(n || replace($1::uuid::text, '-', ''), 40, '0'), $1::uuid, $2::uuid, $3, $4 from generate_series(1, $5::int) n`,
    [intentId, stack.account.id, creator.address.toLowerCase(), splitter.toLowerCase(), count],
  );
}
const count = async (intentId: string) => {
  const { rows } = await stack.deps.db.api.query(
    "select count(*)::int as n from app.launches_prepared where intent_id = $1",
    [intentId],
  );
  return rows[0].n;
};

it("C4-55 a draft keeps a bounded number of prepared launches, and the earlier ones stay valid with their labels", async () => {
  const intentId = await store();
  const first = randomSalt();
  const launch = await prepare(intentId, first);
  expect(launch.status).toBe(200);
  await fill(intentId, maxPreparedLaunches - 2);
  expect((await prepare(intentId, randomSalt(), "calls")).status).toBe(200);
  expect(await count(intentId)).toBe(maxPreparedLaunches);

  for (const path of ["transactions", "calls"]) {
    for (const salt of [randomSalt(), randomSalt()]) {
      const { status, body } = await prepare(intentId, salt, path);
      expect([status, Object.keys(body), body.error.code, body.error.field]).toEqual([
        422,
        ["error"],
        "invalid_fields",
        "intent_id",
      ]);
      expect(body.error.message).toContain("store a new draft");
    }
    // A prepared launch can be prepared again: for another gas price, or after a reload.
    expect((await prepare(intentId, first, path)).body.expected.token).toBe(launch.body.expected.token);
  }
  expect(await count(intentId)).toBe(maxPreparedLaunches);
  expect((await prepare(await store(), randomSalt())).status).toBe(200);

  await sendWithViem(stack, launch, creator);
  const { token } = launch.body.expected;
  await untilIndexed(stack, token);
  expect((await stack.call("GET", `/tokens/${token}`)).body.recipients[0].handle).toBe("ada");
});
