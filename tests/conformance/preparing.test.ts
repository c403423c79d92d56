import { hexlify, JsonRpcProvider, randomBytes } from "ethers";
import { describe, expect, it } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newIntent, newKey, someWallet, unknownToken, validCalls } from "../support/conformance/validCalls.ts";

const fixture = target.fixture!;
const signs = { signs: true };
const nobodysDraft = "00000000-0000-4000-8000-000000000000";
const payTo = (wallet: string) => [{ provider: "wallet", wallet, share_bps: 10_000 }];
const storeDraft = async (change: object) =>
  (await call("POST /intents", { headers: newKey(), body: { ...newIntent(), ...change } })).body.id as string;
/** The timestamp of a block of the chain, in seconds. */
async function blockTime(blockNumber: string): Promise<number> {
  const provider = new JsonRpcProvider(target.rpcUrl!);
  try {
    return (await provider.getBlock(Number(blockNumber)))!.timestamp;
  } finally {
    provider.destroy();
  }
}
const salt = () => hexlify(randomBytes(32));

/** What every prepared transaction must say. Source: docs/api.md, UnsignedResult. */
function expectReady(body: any, action: string, from: string): void {
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
    "refuses an unknown draft, one of another chain, one without recipients and one of a tier without launches",
    async () => {
      const other = target.chainId === 46630 ? 4663 : 46630;
      const cases: [string, string][] = [
        [nobodysDraft, "draft_not_found"],
        [await storeDraft({ chain_id: other }), "chain_mismatch"],
        [await storeDraft({ recipients: [] }), "recipients_required"],
        [await storeDraft({ fee_bps: 50 }), "fee_tier_not_launchable"],
        [await storeDraft({ fee_bps: 10, recipients: [] }), "fee_tier_not_launchable"],
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
        [{ intent_id: await storeDraft({ fee_bps: 50 }) }, "fee_tier_not_launchable"],
        [{ intent_id: await storeDraft({ recipients: [] }) }, "recipients_required"],
        [{ splitter: unknownToken }, "splitter_not_deployed"],
        // A contract that is none of ours, and a splitter of other recipients.
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

describe("POST /trade/quote", () => {
  const quote = (change: object = {}) =>
    call("POST /trade/quote", { body: { ...(validCalls["POST /trade/quote"]!().body as object), ...change } });

  statusCase(
    "POST /trade/quote",
    200,
    "quotes at an explicit block, good for sixty seconds, with the floor of the slippage",
    async () => {
      const { body } = await quote({ slippage_bps: 150 });
      expect(body).toMatchObject({
        token_in: target.weth,
        token_out: fixture.token,
        settlement: "wrapped_native",
        slippage_bps: 150,
      });
      expect(BigInt(body.minimum_out)).toBe((BigInt(body.amount_out) * 9_850n) / 10_000n);
      expect(Number(body.block_number)).toBeGreaterThan(0);
      expect(body.expires_at).toBe((await blockTime(body.block_number)) + 60);
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

describe("POST /fees/claim-transactions", () => {
  const claim = (change: object = {}) =>
    call("POST /fees/claim-transactions", {
      body: { token: fixture.token, wallet: fixture.creator, stage: "collect", ...change },
    });

  statusCase(
    "POST /fees/claim-transactions",
    200,
    "prepares the collection, and has nothing to settle or release before it",
    async () => {
      const { body } = await claim();
      expectReady(body, "collect", fixture.creator);
      for (const stage of ["settle", "release"]) {
        const later = await claim({ stage });
        expect([later.status, later.body.status, later.body.transaction], stage).toEqual([200, "nothing_to_do", null]);
      }
    },
    signs,
  );

  statusCase(
    "POST /fees/claim-transactions",
    422,
    "refuses an unknown stage, token and recipient",
    async () => {
      const cases: [object, string][] = [
        [{ stage: "withdraw" }, "invalid_fields"],
        [{ token: unknownToken }, "pool_not_supported"],
        [{ stage: "release", recipient: someWallet }, "not_recipient"],
        [{ asset: "eth" }, "invalid_fields"],
      ];
      for (const [change, code] of cases) {
        const { status, body } = await claim(change);
        expect([status, body.error.code], JSON.stringify(change)).toEqual([422, code]);
      }
    },
    signs,
  );
});

describe("GET /fees/positions", () => {
  const positions = (query: Record<string, string>) => call("GET /fees/positions", { query });

  statusCase(
    "GET /fees/positions",
    200,
    "shows a recipient's share and both assets, and a stranger's none",
    async () => {
      const { body } = await positions({ token: fixture.token, wallet: fixture.creator });
      expect(body).toMatchObject({
        token: fixture.token,
        wallet: fixture.creator,
        splitter: fixture.splitter,
        share_bps: 7_500,
        is_recipient: true,
      });
      expect(new Set(body.balances.map(({ asset }: any) => asset))).toEqual(new Set([fixture.token, target.weth]));
      expect(body.recipients.map(({ wallet, share_bps }: any) => ({ wallet, share_bps }))).toEqual(fixture.recipients);
      const stranger = await positions({ token: fixture.token, wallet: someWallet });
      expect(stranger.body).toMatchObject({ share_bps: 0, is_recipient: false });
    },
    signs,
  );

  statusCase("GET /fees/positions", 400, "wants both addresses", async () => {
    const wrong: Record<string, string>[] = [
      {},
      { token: unknownToken },
      { wallet: someWallet },
      { token: "0x1", wallet: someWallet },
      { token: unknownToken, wallet: `0x${"0".repeat(40)}` },
    ];
    for (const query of wrong) {
      const { status, body } = await positions(query);
      expect(status, JSON.stringify(query)).toBe(400);
      expect(["invalid_query", "invalid_address"]).toContain(body.error.code);
    }
  });

  statusCase("GET /fees/positions", 422, "refuses a token without a launch", async () => {
    const { status, body } = await positions({ token: unknownToken, wallet: someWallet });
    expect([status, body.error.code]).toEqual([422, "pool_not_supported"]);
  });
});
