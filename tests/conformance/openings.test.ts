import { describe, expect } from "vitest";
import { openSigner } from "../support/conformance/signer.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import {
  newOpening,
  opening,
  someWallet,
  token,
  unknownToken,
  unsignedLaunch,
  validCalls,
} from "../support/conformance/validCalls.ts";

const fixture = target.fixture!;
const signs = { signs: true };
const path = { address: opening };
const nobodysDraft = "00000000-0000-4000-8000-000000000000";
const minimum = "1000000000000000";

type Case = [body: object, code: string, field: string | undefined];

/** Asserts the codes and fields of refused bodies. */
async function expectRefused(operation: string, cases: readonly Case[]): Promise<void> {
  for (const [body, code, field] of cases) {
    const answer = await call(operation, { ...(operation.includes("{address}") && { path }), body });
    expect([answer.status, answer.body.error.code, answer.body.error.field]).toEqual([422, code, field]);
  }
}

const below = [
  ["GET /openings/{address}", {}],
  ["GET /openings/{address}/deposits", {}],
  ["POST /openings/{address}/deposits/transactions", { body: { wallet: someWallet, amount: "1" } }],
  ["POST /openings/{address}/claims/transactions", { body: { wallet: someWallet } }],
  ["POST /openings/{address}/authorizations", { body: {} }],
  ["POST /openings/{address}/open/transactions", { body: unsignedLaunch(someWallet) }],
  ["POST /openings/{address}/close/transactions", { body: { wallet: someWallet } }],
] as const;

describe.each(below)("%s", (operation, more) => {
  statusCase(
    operation,
    404,
    "answers 404 for an address without an opening",
    async () => {
      const { status, body } = await call(operation, { path: { address: unknownToken }, ...more });
      expect([status, body.error.code]).toEqual([404, "opening_not_indexed"]);
    },
    signs,
  );

  statusCase(operation, 400, "refuses what is no address", async () => {
    for (const address of ["0x", "0x123", `${unknownToken}0`, `0x${"0".repeat(40)}`, "%00"]) {
      const { status, body } = await call(operation, { path: { address }, ...more });
      expect([status, body.error.code], address).toEqual([400, "invalid_address"]);
    }
  });
});

describe.skipIf(target.fixture === null)("openings", () => {
  statusCase(
    "GET /openings",
    200,
    "lists openings by creator, depositor and status",
    async () => {
      const list = async (query: Record<string, string>) => {
        const { items } = (await call("GET /openings", { query })).body;
        return items.map(({ address }: { address: string }) => address);
      };
      expect(await list({ creator: fixture.creator })).toContain(opening);
      expect(await list({ depositor: fixture.trader, status: "ready" })).toContain(opening);
      expect(await list({ creator: fixture.creator, status: "opened" })).toEqual([]);
      expect(await list({ depositor: someWallet })).toEqual([]);
      expect(await list({ token })).toEqual([]);
    },
    signs,
  );

  statusCase("GET /openings", 400, "refuses an unknown status, cursor, limit and parameter", async () => {
    const wrong = { status: "closed", cursor: "1", limit: "0", creator: "0x12", sort: "x" };
    for (const [name, value] of Object.entries(wrong)) {
      const { status, body } = await call("GET /openings", { query: { [name]: value } });
      expect([status, body.error.code]).toEqual([400, "invalid_query"]);
    }
  });

  statusCase(
    "GET /openings/{address}",
    200,
    "shows the price for everybody, and the part of an account",
    async () => {
      const { body } = await call("GET /openings/{address}", { path, query: { account: fixture.trader } });
      expect(body).toMatchObject({ address: opening, creator: fixture.creator, status: "ready", token: null });
      expect(body).toMatchObject({ total: minimum, depositors: 1, other_launch: null, opened: null });
      expect(body.if_opened_now.spent).toBe(minimum);
      expect(body.account).toMatchObject({
        address: fixture.trader,
        deposit: minimum,
        share: 1,
        claimable_refund: "0",
      });
      expect(body.account.if_opened_now).toEqual({ tokens: body.if_opened_now.bought, refund: "0" });
    },
    signs,
  );

  statusCase(
    "GET /openings/{address}/deposits",
    200,
    "lists the deposits, and only those of an account",
    async () => {
      const read = async (query: Record<string, string>) =>
        (await call("GET /openings/{address}/deposits", { path, query })).body;
      expect((await read({})).items).toMatchObject([{ account: fixture.trader, amount: minimum, total: minimum }]);
      expect(await read({ account: someWallet })).toMatchObject({ items: [], next_cursor: null });
    },
    signs,
  );

  statusCase(
    "POST /openings/transactions",
    200,
    "prepares the creation at an address of the terms",
    async () => {
      const prepare = (more: object) =>
        call("POST /openings/transactions", {
          body: { ...newOpening(fixture.opening.intentId, fixture.creator), ...more },
        });
      const { opening_factory } = (await call("GET /config")).body.contracts;
      const { body } = await prepare({});
      expect(body).toMatchObject({ action: "create_opening", status: "ready", simulation: { asset_changes: [] } });
      expect(body.transaction).toMatchObject({ to: opening_factory, value: "0x0", from: fixture.creator });
      expect((await prepare({ cap: "3000000000000000" })).body.expected.opening).not.toBe(body.expected.opening);
    },
    signs,
  );

  statusCase(
    "POST /openings/transactions",
    422,
    "refuses an unknown draft, one without its splitter, and bounds that the factory refuses",
    async () => {
      const terms = newOpening(fixture.opening.intentId, fixture.creator);
      const { body: draft } = await call("POST /intents", validCalls["POST /intents"]!());
      await expectRefused("POST /openings/transactions", [
        [{ ...terms, intent_id: nobodysDraft }, "draft_not_found", "intent_id"],
        [{ ...terms, minimum: "2", cap: "1" }, "invalid_fields", "minimum"],
        [{ ...terms, cap: `1${"0".repeat(25)}` }, "invalid_fields", "cap"],
        [{ ...terms, deadline: 1_000 }, "invalid_fields", "deadline"],
        [{ ...terms, intent_id: draft.id }, "splitter_not_deployed", "intent_id"],
      ]);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/deposits/transactions",
    200,
    "prepares a deposit of the wallet for itself",
    async () => {
      const body = { wallet: fixture.trader, amount: "5" };
      const answer = (await call("POST /openings/{address}/deposits/transactions", { path, body })).body;
      expect(answer).toMatchObject({
        action: "deposit_opening",
        status: "ready",
        transaction: { to: opening, value: "0x5" },
      });
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/deposits/transactions",
    422,
    "refuses nothing, and more than the wallet has",
    async () => {
      await expectRefused("POST /openings/{address}/deposits/transactions", [
        [{ wallet: fixture.trader, amount: "0" }, "invalid_fields", "amount"],
        [{ wallet: someWallet, amount: `1${"0".repeat(30)}` }, "insufficient_balance", "wallet"],
        [{ amount: "1" }, "invalid_fields", "wallet"],
      ]);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/claims/transactions",
    200,
    "has nothing to claim before the launch and the deadline",
    async () => {
      const body = { wallet: fixture.trader };
      const answer = (await call("POST /openings/{address}/claims/transactions", { path, body })).body;
      expect(answer).toMatchObject({ action: "claim_opening", status: "nothing_to_do", transaction: null });
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/claims/transactions",
    422,
    "refuses another receiver for another depositor",
    async () => {
      await expectRefused("POST /openings/{address}/claims/transactions", [
        [{ wallet: someWallet, account: fixture.trader, to: someWallet }, "invalid_fields", "to"],
        [{ wallet: "0x12" }, "invalid_fields", "wallet"],
      ]);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/authorizations",
    200,
    "returns what the creator signs, with a new salt each time",
    async () => {
      const ask = async () => (await call("POST /openings/{address}/authorizations", { path, body: {} })).body;
      const offer = await ask();
      expect(offer).toMatchObject({ status: "signature_required", transaction: null, value: minimum });
      expect(offer.typed_data.message).toMatchObject({ creator: fixture.creator, buy: { recipient: opening } });
      expect((await ask()).salt).not.toBe(offer.salt);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/authorizations",
    422,
    "refuses a value below the minimum or above the deposits, and another draft",
    async () => {
      await expectRefused("POST /openings/{address}/authorizations", [
        [{ value: "1" }, "opening_value_out_of_range", "value"],
        [{ value: "1000000000000001" }, "opening_value_out_of_range", "value"],
        [{ intent_id: nobodysDraft }, "draft_not_found", "intent_id"],
        [{ intent_id: fixture.intentId }, "invalid_fields", "intent_id"],
      ]);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/open/transactions",
    200,
    "prepares the launch with the creator's signature, for any wallet",
    async () => {
      const offer = (await call("POST /openings/{address}/authorizations", { path, body: {} })).body;
      const account = target.wallets.find(({ address }) => address === fixture.creator)!;
      const signer = openSigner(target.rpcUrl!, target.chainId, account.privateKey);
      const { EIP712Domain: _, ...types } = offer.typed_data.types;
      const signature = await signer.wallet.signTypedData(offer.typed_data.domain, types, offer.typed_data.message);
      signer.close();
      const { value, salt } = offer;
      const body = { wallet: fixture.trader, value, salt, signature };
      const answer = (await call("POST /openings/{address}/open/transactions", { path, body })).body;
      expect(answer).toMatchObject({
        action: "launch_opening",
        status: "ready",
        transaction: { to: opening, value: "0x0" },
      });
      expect(answer.expected).toEqual(offer.expected);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/open/transactions",
    422,
    "refuses a signature of another account, and a value that the opening refuses",
    async () => {
      const unsigned = unsignedLaunch(fixture.trader);
      await expectRefused("POST /openings/{address}/open/transactions", [
        [unsigned, "signature_invalid", "signature"],
        [{ ...unsigned, value: "1" }, "opening_value_out_of_range", undefined],
        [{ ...unsigned, epoch: 7 }, "signature_invalid", "epoch"],
        [{ ...unsigned, signature: "0x1" }, "invalid_fields", "signature"],
      ]);
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/close/transactions",
    200,
    "prepares the closing of an opening whose token was launched without it",
    async () => {
      const { address, token: launched } = fixture.bypassed;
      const shown = (await call("GET /openings/{address}", { path: { address } })).body;
      expect(shown).toMatchObject({ status: "open", token: null, other_launch: launched });
      const request = { path: { address }, body: { wallet: fixture.trader } };
      const { body } = await call("POST /openings/{address}/close/transactions", request);
      expect(body).toMatchObject({
        action: "close_opening",
        status: "ready",
        transaction: { to: address, value: "0x0" },
      });
      expect(body.expected).toEqual({ opening: address, token: launched });
    },
    signs,
  );

  statusCase(
    "POST /openings/{address}/close/transactions",
    422,
    "refuses an opening whose token was not launched without it",
    async () => {
      await expectRefused("POST /openings/{address}/close/transactions", [
        [{ wallet: someWallet }, "opening_not_launched", undefined],
        [{}, "invalid_fields", "wallet"],
      ]);
    },
    signs,
  );
});
