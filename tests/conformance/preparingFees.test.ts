import { describe, expect } from "vitest";
import { expectReady } from "../support/conformance/expectReady.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { someWallet, unknownToken } from "../support/conformance/validCalls.ts";

const fixture = target.fixture!;
const signs = { signs: true };

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

describe("POST /fees/claim-calls", () => {
  const claim = (change: object = {}) =>
    call("POST /fees/claim-calls", { body: { tokens: [fixture.token], wallet: fixture.creator, ...change } });

  statusCase(
    "POST /fees/claim-calls",
    200,
    "prepares the claim of a token as a batch and as one transaction, and has nothing to release before it",
    async () => {
      const { body, headers } = await claim();
      expectReady(body, "claim", fixture.creator);
      expect(body.calls.map(({ to }: any) => to).at(-1)).toBe(fixture.splitter);
      expect(body.transaction.to).toBe((await call("GET /config")).body.contracts.multicall3);
      for (const { to } of body.expected.amounts) expect(to).toBe(fixture.creator);
      expect(headers.get("cache-control")).toBe("no-store");
      const release = await claim({ stages: "release" });
      expect([release.body.status, release.body.transaction, release.body.calls]).toEqual(["nothing_to_do", null, []]);
    },
    signs,
  );

  statusCase(
    "POST /fees/claim-calls",
    422,
    "refuses lists of no, of too many and of unknown tokens, and a wallet that is no recipient",
    async () => {
      const cases: [object, string, string][] = [
        [{ tokens: [] }, "invalid_fields", "tokens"],
        [{ tokens: Array(21).fill(fixture.token) }, "invalid_fields", "tokens"],
        [{ tokens: [fixture.token, fixture.token.toLowerCase()] }, "invalid_fields", "tokens[1]"],
        [{ tokens: fixture.token }, "invalid_fields", "tokens"],
        [{ unwrap: "true" }, "invalid_fields", "unwrap"],
        [{ stages: "settle" }, "invalid_fields", "stages"],
        [{ tokens: [unknownToken] }, "pool_not_supported", "tokens[0]"],
        [{ wallet: someWallet }, "not_recipient", "tokens[0]"],
      ];
      for (const [change, code, field] of cases) {
        const { status, body } = await claim(change);
        expect([status, body.error.code, body.error.field], JSON.stringify(change)).toEqual([422, code, field]);
      }
    },
    signs,
  );
});

describe("POST /fees/payout-transactions", () => {
  const prepare = (change: object = {}) =>
    call("POST /fees/payout-transactions", {
      body: { token: fixture.token, wallet: fixture.creator, payout: someWallet, ...change },
    });

  statusCase(
    "POST /fees/payout-transactions",
    200,
    "prepares the choice of a payout with a warning, and has nothing to put back before it",
    async () => {
      const { body } = await prepare();
      expectReady(body, "set_payout", fixture.creator);
      expect(body.transaction.to).toBe(fixture.splitter);
      expect(body.warnings.map(({ code }: any) => code)).toEqual(["payout_changed"]);
      const back = await prepare({ payout: null });
      expect([back.body.status, back.body.transaction]).toEqual(["nothing_to_do", null]);
    },
    signs,
  );

  statusCase(
    "POST /fees/payout-transactions",
    422,
    "refuses a wallet that is no recipient and a payout that cannot pass on",
    async () => {
      const cases: [object, string, string][] = [
        [{ token: unknownToken }, "pool_not_supported", "token"],
        [{ wallet: someWallet, payout: fixture.creator }, "not_recipient", "wallet"],
        [{ payout: undefined }, "invalid_fields", "payout"],
        [{ payout: someWallet.replace(/11$/, "aB") }, "address_checksum", "payout"],
        ...[fixture.token, fixture.splitter, target.weth!, "0x0000000000000000000000000000000000000001"].map(
          (payout) => [{ payout }, "recipient_cannot_receive", "payout"] as [object, string, string],
        ),
      ];
      for (const [change, code, field] of cases) {
        const { status, body } = await prepare(change);
        expect([status, body.error.code, body.error.field], JSON.stringify(change)).toEqual([422, code, field]);
      }
    },
    signs,
  );
});

describe("GET /fees/pending", () => {
  const pending = (query: Record<string, string>) => call("GET /fees/pending", { query });

  statusCase(
    "GET /fees/pending",
    200,
    "shows what a collection would collect, and divides it among the recipients",
    async () => {
      const { body } = await pending({ token: fixture.token });
      expect(body).toMatchObject({ token: fixture.token, splitter: fixture.splitter });
      const [, wrapped] = body.assets;
      expect([wrapped.asset, BigInt(wrapped.amount) > 0n]).toEqual([target.weth, true]);
      const parts = BigInt(wrapped.protocol) + BigInt(wrapped.partner) + BigInt(wrapped.collaborators);
      expect(parts).toBe(BigInt(wrapped.amount));
      expect(body.recipients.map(({ wallet, share_bps }: any) => ({ wallet, share_bps }))).toEqual(fixture.recipients);
    },
    signs,
  );

  statusCase("GET /fees/pending", 400, "wants an address", async () => {
    for (const query of [{}, { token: "0x1" }, { token: `0x${"0".repeat(40)}` }] as Record<string, string>[]) {
      const { status, body } = await pending(query);
      expect(status, JSON.stringify(query)).toBe(400);
      expect(["invalid_query", "invalid_address"]).toContain(body.error.code);
    }
  });

  statusCase("GET /fees/pending", 422, "refuses a token without a launch", async () => {
    const { status, body } = await pending({ token: unknownToken });
    expect([status, body.error.code]).toEqual([422, "pool_not_supported"]);
  });
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
