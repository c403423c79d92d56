import { describe, expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newIntent, newKey, someWallet, token, unknownToken } from "../support/conformance/validCalls.ts";

const fixture = target.fixture!;
const signs = { signs: true };
const daySeconds = 86_400;
const nobodysDraft = "00000000-0000-4000-8000-000000000000";

/** Stores a draft whose initial buy vests. */
async function storeVested(buy: object): Promise<string> {
  const { id } = (await call("POST /intents", { headers: newKey(), body: newIntent() })).body;
  const initial_buy = { amount_in: "1000000000000000", slippage_bps: 100, ...buy };
  const put = await call("PUT /intents/{id}/options", { path: { id }, body: { initial_buy } });
  expect(put.status, JSON.stringify(put.body)).toBe(200);
  return id as string;
}

describe.skipIf(target.fixture === null)("the vesting of an initial buy", () => {
  const now = Math.floor(Date.now() / 1_000);
  const dates = { cliff: now + 30 * daySeconds, end: now + 130 * daySeconds };
  const prepare = (intent_id: string) =>
    call("POST /vestings/transactions", { body: { intent_id, wallet: fixture.creator } });
  const release = (body: object) =>
    call("POST /vestings/release-transactions", { body: { wallet: fixture.trader, ...body } });

  statusCase(
    "POST /vestings/transactions",
    200,
    "prepares the creation at an address of the draft, and nothing for one that exists",
    async () => {
      const { vesting_factory } = (await call("GET /config")).body.contracts;
      const { body } = await prepare(await storeVested({ vesting: dates }));
      expect(body).toMatchObject({ action: "deploy_vesting", status: "ready", simulation: { asset_changes: [] } });
      expect(body.transaction).toMatchObject({ to: vesting_factory, value: "0x0", from: fixture.creator });
      const made = await prepare(fixture.vested.intentId);
      expect(made.body).toMatchObject({ status: "nothing_to_do", transaction: null });
      expect(made.body.expected.vesting).not.toBe(body.expected.vesting);
    },
    signs,
  );

  statusCase(
    "POST /vestings/transactions",
    422,
    "refuses an unknown draft, one without a vesting, dates in the past, and a recipient that cannot pay on",
    async () => {
      const past = { cliff: now - 1, end: dates.end };
      const cases: [string, string, string][] = [
        [nobodysDraft, "draft_not_found", "intent_id"],
        [await storeVested({}), "no_vesting", "intent_id"],
        [await storeVested({ vesting: past }), "invalid_fields", "initial_buy.vesting.cliff"],
        [
          await storeVested({ vesting: { ...dates, end: now + 4_000 * daySeconds } }),
          "invalid_fields",
          "initial_buy.vesting.end",
        ],
        [
          await storeVested({ vesting: dates, recipient: "0x0000000000000000000000000000000000000001" }),
          "recipient_cannot_receive",
          "initial_buy.recipient",
        ],
      ];
      for (const [id, code, field] of cases) {
        const { status, body } = await prepare(id);
        expect([status, body.error.code, body.error.field]).toEqual([422, code, field]);
      }
    },
    signs,
  );

  statusCase(
    "GET /tokens/{address}/vesting",
    200,
    "shows who receives the tokens of the initial buy and when, and null for a token without an initial buy",
    async () => {
      const { body } = await call("GET /tokens/{address}/vesting", { path: { address: fixture.vested.token } });
      expect(body.vesting).toMatchObject({ beneficiary: fixture.creator, vested: "0", released: "0", releasable: "0" });
      expect(body.vesting.end - body.vesting.cliff).toBe(100 * daySeconds);
      expect(BigInt(body.vesting.received)).toBeGreaterThan(0n);
      const { items } = (
        await call("GET /tokens/{address}/holders", { path: { address: fixture.vested.token }, query: { limit: 20 } })
      ).body;
      const held = items.find(({ address }: any) => address === body.vesting.address);
      expect(held.amount).toBe(body.vesting.received);
      const none = await call("GET /tokens/{address}/vesting", { path: { address: token } });
      expect(none.body.vesting).toBeNull();
    },
    signs,
  );

  statusCase(
    "POST /vestings/release-transactions",
    200,
    "has nothing to release before the cliff",
    async () => {
      const { body } = await release({ token: fixture.vested.token });
      expect(body).toMatchObject({ action: "release_vesting", status: "nothing_to_do", expected: { amounts: [] } });
    },
    signs,
  );

  statusCase(
    "POST /vestings/release-transactions",
    422,
    "refuses a token without a launch, without a vesting, and what is no address",
    async () => {
      const cases: [object, string, string][] = [
        [{ token: unknownToken }, "pool_not_supported", "token"],
        [{ token }, "no_vesting", "token"],
        [{ token: "0x12" }, "invalid_fields", "token"],
        [{ token, beneficiary: someWallet }, "invalid_fields", "beneficiary"],
      ];
      for (const [body, code, field] of cases) {
        const answer = await release(body);
        expect([answer.status, answer.body.error.code, answer.body.error.field]).toEqual([422, code, field]);
      }
    },
    signs,
  );
});
