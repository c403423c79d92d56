import { hexlify, randomBytes } from "ethers";
import { describe, expect, it } from "vitest";
import { expectReady } from "../support/conformance/expectReady.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newIntent, newKey, someWallet, unknownToken, validCalls } from "../support/conformance/validCalls.ts";

const fixture = target.fixture!;
const signs = { signs: true };
const nobodysDraft = "00000000-0000-4000-8000-000000000000";
const payTo = (wallet: string) => [{ provider: "wallet", wallet, share_bps: 10_000 }];
const storeDraft = async (change: object) =>
  (await call("POST /intents", { headers: newKey(), body: { ...newIntent(), ...change } })).body.id as string;
/** Stores drafts of the tiers at which the deployment launches no token. */
const storeUnlaunchable = async (): Promise<string[]> => {
  const { fee_policy } = (await call("GET /config")).body;
  const tiers = fee_policy.tiers.filter(({ launchable }: any) => !launchable);
  return await Promise.all(tiers.map(({ fee_bps }: any) => storeDraft({ fee_bps })));
};
const refuseUnlaunchable = async () =>
  (await storeUnlaunchable()).map((intent_id) => [{ intent_id }, "fee_tier_not_launchable"] as [object, string]);
const salt = () => hexlify(randomBytes(32));

describe("POST /splits/transactions", () => {
  const prepare = (intent_id: string, wallet = someWallet) =>
    call("POST /splits/transactions", { body: { intent_id, wallet } });

  statusCase(
    "POST /splits/transactions",
    200,
    "prepares a plain creation and predicts its address for a nonce",
    async () => {
      const { body, headers } = await prepare(fixture.intentId, fixture.creator);
      expectReady(body, "deploy_splitter", fixture.creator);
      expect(body.transaction.to).toBeUndefined();
      expect(body.transaction.value).toBe("0x0");
      expect(body.expected.splitter).toMatch(/^0x[0-9a-fA-F]{40}$/);
      expect(body.expected.account_nonce).toBeGreaterThan(0);
      expect(headers.get("cache-control")).toBe("no-store");
    },
    signs,
  );

  statusCase(
    "POST /splits/transactions",
    422,
    "refuses an unknown draft, one of another chain, one without recipients and those of tiers without launches",
    async () => {
      const other = target.chainId === 46630 ? 4663 : 46630;
      const cases: [string, string][] = [
        [nobodysDraft, "draft_not_found"],
        [await storeDraft({ chain_id: other }), "chain_mismatch"],
        [await storeDraft({ recipients: [] }), "recipients_required"],
        ...(await storeUnlaunchable()).map((draft) => [draft, "fee_tier_not_launchable"] as [string, string]),
        [await storeDraft({ recipients: payTo(someWallet.replace(/11$/, "aB")) }), "address_checksum"],
        [
          await storeDraft({ recipients: payTo("0x0000000000000000000000000000000000000001") }),
          "recipient_cannot_receive",
        ],
      ];
      for (const [id, code] of cases) {
        const { status, body } = await prepare(id);
        expect([status, body.error.code]).toEqual([422, code]);
      }
    },
  );

  it("refuses what is no UUID and the zero wallet", async () => {
    for (const body of [
      { intent_id: "draft-1", wallet: someWallet },
      { intent_id: nobodysDraft, wallet: `0x${"0".repeat(40)}` },
    ]) {
      expect((await call("POST /splits/transactions", { body })).body.error.code).toBe("invalid_fields");
    }
  });
});

describe("POST /launch/transactions", () => {
  const prepare = (change: object = {}) =>
    call("POST /launch/transactions", {
      body: {
        intent_id: fixture.intentId,
        wallet: fixture.creator,
        splitter: fixture.splitter,
        salt: salt(),
        ...change,
      },
    });

  statusCase(
    "POST /launch/transactions",
    200,
    "prepares a second launch of a draft with a warning, at another address",
    async () => {
      const { body } = await prepare();
      expectReady(body, "launch", fixture.creator);
      const { contracts } = (await call("GET /config")).body;
      expect(Object.values(contracts)).toContain(body.transaction.to);
      expect(body.warnings.map(({ code }: any) => code)).toContain("already_launched");
      expect(body.expected.token).not.toBe(fixture.token);
    },
    signs,
  );

  it.skipIf(target.fixture === null)(
    "predicts the same token for the same wallet and salt, another for another",
    async () => {
      const fixed = salt();
      const [one, two, three] = await Promise.all([
        prepare({ salt: fixed }),
        prepare({ salt: fixed.toUpperCase().replace("0X", "0x") }),
        prepare(),
      ]);
      expect(one.body.expected.token).toBe(two.body.expected.token);
      expect(one.body.expected.token).not.toBe(three.body.expected.token);
    },
  );

  statusCase(
    "POST /launch/transactions",
    422,
    "refuses drafts and splitters that do not fit, each with its own code",
    async () => {
      const draft = await storeDraft({});
      const cases: [object, string][] = [
        [{ intent_id: nobodysDraft }, "draft_not_found"],
        ...(await refuseUnlaunchable()),
        [{ intent_id: await storeDraft({ recipients: [] }) }, "recipients_required"],
        [{ splitter: unknownToken }, "splitter_not_deployed"],
        // A foreign contract, and a splitter of other recipients.
        [{ splitter: fixture.token }, "splitter_mismatch"],
        [{ intent_id: draft }, "splitter_mismatch"],
        [{ salt: "0x12" }, "invalid_fields"],
      ];
      for (const [change, code] of cases) {
        const { status, body } = await prepare(change);
        expect([status, body.error.code]).toEqual([422, code]);
      }
    },
    signs,
  );
});

describe("POST /launch/preview", () => {
  const preview = (change: object = {}) =>
    call("POST /launch/preview", { body: { intent_id: fixture.intentId, wallet: fixture.creator, ...change } });

  statusCase(
    "POST /launch/preview",
    200,
    "shows the start price, first buys, the gas of each step and the fees",
    async () => {
      const { body, headers } = await preview();
      expect(body.buys.map(({ amount_in }: any) => amount_in)).toEqual(
        ["1", "10", "100"].map((n) => `${n}${"0".repeat(17)}`),
      );
      expect([body.initial_buy, body.total.value, body.fees.total_bps]).toEqual([null, "0", 100]);
      expect(body.start.market_cap_eth).toBeCloseTo(1.4686, 3);
      expect(body.steps.at(-1).action).toBe("launch");
      expect(headers.get("cache-control")).toBe("no-store");
    },
    signs,
  );

  statusCase(
    "POST /launch/preview",
    422,
    "refuses drafts that cannot be launched, each with its own code",
    async () => {
      const cases: [object, string][] = [
        [{ intent_id: nobodysDraft }, "draft_not_found"],
        ...(await refuseUnlaunchable()),
        [{ intent_id: await storeDraft({ recipients: [] }) }, "recipients_required"],
        [{ splitter: fixture.splitter }, "invalid_fields"],
      ];
      for (const [change, code] of cases) {
        const { status, body } = await preview(change);
        expect([status, body.error.code]).toEqual([422, code]);
      }
    },
    signs,
  );
});

describe("POST /launch/calls", () => {
  const prepare = (change: object = {}) =>
    call("POST /launch/calls", {
      body: { intent_id: fixture.intentId, wallet: fixture.creator, splitter: null, salt: salt(), ...change },
    });

  statusCase(
    "POST /launch/calls",
    200,
    "prepares the splitter and the launch as one batch, and the launch alone of a splitter that exists",
    async () => {
      const { body, headers } = await prepare();
      const { launch_factory } = (await call("GET /config")).body.contracts;
      expect(body).toMatchObject({ action: "launch", status: "ready", transaction: null, typed_data: null });
      expect(body.simulation.block_number).toBe(body.block_number);
      const [make, launch, ...others] = body.calls;
      expect([make.data.slice(0, 10), launch.to, others]).toEqual(["0x9d439cde", launch_factory, []]);
      expect([make.value, launch.value]).toEqual(["0x0", "0x0"]);
      expect(headers.get("cache-control")).toBe("no-store");
      const { body: alone } = await prepare({ splitter: fixture.splitter });
      expectReady(alone, "launch", fixture.creator);
      const { to, data, value } = alone.transaction;
      expect(alone.calls).toEqual([{ to, data, value }]);
      expect(alone.expected.splitter).toBe(fixture.splitter);
    },
    signs,
  );

  statusCase(
    "POST /launch/calls",
    422,
    "refuses drafts, splitters and authorizations that do not fit, each with its own code",
    async () => {
      const signed = { deadline: 2_000_000_000, signature: `0x${"1".repeat(130)}` };
      const cases: [object, string, string | undefined][] = [
        [{ intent_id: nobodysDraft }, "draft_not_found", "intent_id"],
        ...(await refuseUnlaunchable()).map(([body, code]) => [body, code, undefined] as [object, string, undefined]),
        [{ intent_id: await storeDraft({ recipients: [] }) }, "recipients_required", undefined],
        [
          { intent_id: await storeDraft({ recipients: payTo("0x0000000000000000000000000000000000000001") }) },
          "recipient_cannot_receive",
          "recipients[0].wallet",
        ],
        [{ splitter: unknownToken }, "splitter_not_deployed", "splitter"],
        [{ splitter: fixture.token }, "splitter_mismatch", "splitter"],
        [{ intent_id: await storeDraft({}), splitter: fixture.splitter }, "splitter_mismatch", "splitter"],
        [{ salt: "0x12" }, "invalid_fields", "salt"],
        [{ authorization: signed }, "invalid_fields", "authorization"],
        ...[
          { ...signed, signature: "0x1" },
          { ...signed, signature: `0x${"11".repeat(4_097)}` },
          { ...signed, signature: "" },
        ].map(
          (authorization) =>
            [{ authorization }, "invalid_fields", "authorization.signature"] as [object, string, string],
        ),
        [{ authorization: { ...signed, deadline: 0 } }, "invalid_fields", "authorization.deadline"],
        [{ authorization: { ...signed, epoch: -1 } }, "invalid_fields", "authorization.epoch"],
        [{ authorization: { ...signed, v: 27 } }, "invalid_fields", "authorization.v"],
        [{ method: "factory" }, "invalid_fields", "method"],
      ];
      for (const [change, code, field] of cases) {
        const { status, body } = await prepare(change);
        expect([status, body.error.code, body.error.field], JSON.stringify(change)).toEqual([422, code, field]);
      }
    },
    signs,
  );
});

describe("POST /launch/cancel/transactions", () => {
  const prepare = (body: object) => call("POST /launch/cancel/transactions", { body });

  statusCase(
    "POST /launch/cancel/transactions",
    200,
    "prepares the call of the factory that cancels what the wallet has signed, for any wallet",
    async () => {
      const { launch_factory } = (await call("GET /config")).body.contracts;
      for (const wallet of [fixture.creator, fixture.trader]) {
        const { body, headers } = await prepare({ wallet });
        expectReady(body, "cancel_launches", wallet);
        expect(body.transaction).toMatchObject({ to: launch_factory, data: "0xea8a1af0", value: "0x0" });
        expect([body.simulation.asset_changes, body.warnings]).toEqual([[], []]);
        expect(headers.get("cache-control")).toBe("no-store");
      }
    },
    signs,
  );

  statusCase("POST /launch/cancel/transactions", 422, "refuses what is no wallet", async () => {
    for (const wallet of ["0x12", `0x${"0".repeat(40)}`, 7]) {
      const { status, body } = await prepare({ wallet });
      expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "wallet"]);
    }
  });
});

describe("POST /trade/quote", () => {
  const quote = (change: object = {}) =>
    call("POST /trade/quote", { body: { ...(validCalls["POST /trade/quote"]!().body as object), ...change } });

  statusCase(
    "POST /trade/quote",
    200,
    "quotes at an explicit block, good for sixty seconds, with the floor of the slippage",
    async () => {
      const askedAt = Math.floor(Date.now() / 1_000);
      const { body } = await quote({ slippage_bps: 150 });
      expect(body).toMatchObject({
        token_in: target.weth,
        token_out: fixture.token,
        settlement: "wrapped_native",
        slippage_bps: 150,
      });
      expect(BigInt(body.minimum_out)).toBe((BigInt(body.amount_out) * 9_850n) / 10_000n);
      expect(Number(body.block_number)).toBeGreaterThan(0);
      // 60 seconds after issue.
      expect(body.expires_at).toBeGreaterThanOrEqual(askedAt + 60);
      expect(body.expires_at).toBeLessThanOrEqual(Date.now() / 1_000 + 60);
      const sell = await quote({ side: "sell", amount_in: body.amount_out });
      expect(sell.body).toMatchObject({ token_in: fixture.token, token_out: target.weth });
      expect(BigInt(sell.body.amount_out)).toBeLessThan(10n ** 15n);
    },
    signs,
  );

  statusCase(
    "POST /trade/quote",
    422,
    "refuses a token without a launch and each value beyond its limits",
    async () => {
      const cases: [object, string][] = [
        [{ token: unknownToken }, "pool_not_supported"],
        ...[0, 501, 1.5, -1].map((slippage_bps) => [{ slippage_bps }, "invalid_fields"] as [object, string]),
        ...["0", "-1", "1.5", "0x10", "", " 1", (2n ** 256n).toString()].map(
          (amount_in) => [{ amount_in }, "invalid_fields"] as [object, string],
        ),
        [{ side: "BUY" }, "invalid_fields"],
        [{ token: `0x${"0".repeat(40)}` }, "invalid_fields"],
      ];
      for (const [change, code] of cases) {
        const { status, body } = await quote(change);
        expect([status, body.error.code], JSON.stringify(change)).toEqual([422, code]);
      }
    },
  );

  it.skipIf(target.fixture === null)("takes the limits themselves", async () => {
    for (const slippage_bps of [1, 500]) expect((await quote({ slippage_bps })).status).toBe(200);
    for (const amount_in of ["1", (2n ** 256n - 1n).toString(), (2n ** 255n).toString()]) {
      const { status, body } = await quote({ amount_in });
      if (status !== 200) expect(["amount_too_small", "simulation_reverted"], amount_in).toContain(body.error.code);
    }
  });
});

describe("POST /trade/transactions", () => {
  const prepare = (change: object = {}) =>
    call("POST /trade/transactions", {
      body: { ...(validCalls["POST /trade/transactions"]!().body as object), ...change },
    });

  statusCase(
    "POST /trade/transactions",
    200,
    "prepares an approval of exactly the amount where the router may not take it",
    async () => {
      const { body } = await prepare({ wallet: fixture.trader, amount_in: "123456789012345" });
      expectReady(body, "approve", fixture.trader);
      expect(body.transaction.to).toBe(target.weth);
      expect(BigInt(`0x${body.transaction.data.slice(-64)}`)).toBe(123456789012345n);
      expect(body.next).toBeTypeOf("string");
    },
    signs,
  );

  statusCase(
    "POST /trade/transactions",
    422,
    "refuses a token without a launch and a wallet without the amount",
    async () => {
      const unknown = await prepare({ token: unknownToken });
      expect([unknown.status, unknown.body.error.code]).toEqual([422, "pool_not_supported"]);
      const poor = await prepare({ wallet: someWallet, amount_in: "1000000000000000000000" });
      expect([poor.status, poor.body.error.code]).toEqual([422, "insufficient_balance"]);
      expect(poor.body.error.details).toBeTypeOf("object");
    },
    signs,
  );
});

describe("POST /trade/calls", () => {
  const prepare = (change: object = {}) =>
    call("POST /trade/calls", {
      body: { ...(validCalls["POST /trade/calls"]!().body as object), pay: "native", ...change },
    });

  statusCase(
    "POST /trade/calls",
    200,
    "prepares a buy with native value as one call and one transaction",
    async () => {
      const { body, headers } = await prepare({ wallet: fixture.trader });
      expectReady(body, "swap", fixture.trader);
      expect(body.transaction.value).toBe(`0x${(10n ** 15n).toString(16)}`);
      const { to, data, value } = body.transaction;
      expect(body.calls).toEqual([{ to, data, value }]);
      expect(body.quote).toMatchObject({ settlement: "native", token_in: target.weth, token_out: fixture.token });
      for (const name of ["price_before", "price_after", "effective_price"]) {
        expect(body.quote[name], name).toBeGreaterThan(0);
      }
      expect(body.permit_typed_data).toBeNull();
      expect(headers.get("cache-control")).toBe("no-store");
    },
    signs,
  );

  statusCase(
    "POST /trade/calls",
    422,
    "refuses mixtures of both kinds of amounts, choices of the other side, and recipients that cannot pass on",
    async () => {
      const output = { amount_in: undefined, slippage_bps: undefined, amount_out: "1", maximum_in: "1" };
      const permit = { deadline: 2_000_000_000, signature: `0x${"1".repeat(130)}` };
      const { contracts } = (await call("GET /config")).body;
      const cases: [object, string, string][] = [
        [{ amount_out: "1" }, "invalid_fields", "maximum_in"],
        [{ maximum_in: "1" }, "invalid_fields", "amount_out"],
        [{ ...output, amount_in: "1" }, "invalid_fields", "amount_in"],
        [{ ...output, slippage_bps: 100 }, "invalid_fields", "slippage_bps"],
        [{ amount_in: undefined }, "invalid_fields", "amount_in"],
        [{ slippage_bps: undefined }, "invalid_fields", "slippage_bps"],
        [{ receive: "native" }, "invalid_fields", "receive"],
        [{ side: "sell" }, "invalid_fields", "pay"],
        [{ pay: "eth" }, "invalid_fields", "pay"],
        [{ permit }, "invalid_fields", "permit"],
        [{ permit: { ...permit, v: 27 } }, "invalid_fields", "permit.v"],
        [{ token: unknownToken }, "pool_not_supported", "token"],
        [{ recipient: "0x0000000000000000000000000000000000000002" }, "recipient_cannot_receive", "recipient"],
        [{ recipient: fixture.token }, "recipient_cannot_receive", "recipient"],
        [{ recipient: target.weth }, "recipient_cannot_receive", "recipient"],
        // The treasury is an account that can receive.
        ...Object.entries(contracts as Record<string, string>)
          .filter(([name]) => name !== "treasury")
          .map(([, recipient]) => [{ recipient }, "recipient_cannot_receive", "recipient"] as [object, string, string]),
        [{ recipient: someWallet.replace(/11$/, "aB") }, "address_checksum", "recipient"],
      ];
      for (const [change, code, field] of cases) {
        const { status, body } = await prepare(change);
        expect([status, body.error.code, body.error.field], JSON.stringify(change)).toEqual([422, code, field]);
      }
    },
    signs,
  );

  it.skipIf(target.fixture === null)("takes an absent choice, null and the default for the same", async () => {
    const wrapped = { pay: undefined, wallet: fixture.trader, amount_in: "1000000" };
    const answers = [wrapped, { ...wrapped, pay: "wrapped" }, { ...wrapped, permit: null }];
    const [first, ...others] = await Promise.all(answers.map(prepare));
    for (const { status, body } of others) {
      expect([status, body.calls.length, body.quote.settlement]).toEqual([
        first!.status,
        first!.body.calls.length,
        "wrapped_native",
      ]);
    }
  });
});
