import type { PaymentOffer } from "@slipway/protocol/payments";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSubscriber, type SubscriberAccount } from "../../../../../tests/support/security/createSubscriber.ts";
import { createReadApp, pinnedState, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { parseConfig } from "../../config.ts";

const recipient = "0x000000000000000000000000000000000000dEaD";
const settings = {
  SITE_URL: "https://site.example",
  PAYMENT_RECIPIENT: recipient,
  PAYMENT_PRICES: "credits:1000=9.5, credits:100=1.00, subscriber:30=20",
  RELAYER_PRIVATE_KEY: `0x${"11".repeat(32)}`,
};

let database: ReadDatabase;
let read: ReadApp;
let off: ReadApp;
let account: SubscriberAccount;
beforeAll(async () => {
  database = await startReadDatabase();
  [read, off] = await Promise.all([createReadApp(database.db, settings), createReadApp(database.db)]);
  account = await createSubscriber(database.db, { plan: false });
});
afterAll(async () => {
  await Promise.all([read?.app.close(), off?.app.close()]);
  await database?.stop();
});

async function send(app: ReadApp, method: "GET" | "POST", url: string, body?: object, headers: object = {}) {
  const answer = await app.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${account.key}`, ...headers },
    ...(body && { payload: body }),
  });
  const header = answer.headers["payment-required"];
  const offer: PaymentOffer | null =
    header === undefined ? null : JSON.parse(Buffer.from(String(header), "base64").toString("utf8"));
  return { status: answer.statusCode, error: answer.json().error, offer };
}
const products = (offer: PaymentOffer | null) => offer?.accepts.map(({ amount, extra }) => [extra.product, amount]);
const series = { series: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], prediction_length: 2, interval: "HOUR_1" };

describe("C11-12 an offer of payments", () => {
  test("C11-12 is in body and header of each answer that a payment helps, with exactly the prices that help", async () => {
    const forecast = await send(read, "POST", "/api/forecast/line", series);
    expect([forecast.status, forecast.error.code]).toEqual([402, "insufficient_credits"]);
    expect(forecast.error.details.x402).toEqual(forecast.offer);
    expect(forecast.offer).toEqual({
      x402Version: 2,
      error: forecast.error.message,
      resource: {
        url: "https://site.example/api/account/payments",
        description: expect.any(String),
        mimeType: "application/json",
      },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:46630",
          amount: "1000000",
          asset: expect.stringMatching(/^0x(88){20}$/),
          payTo: recipient,
          maxTimeoutSeconds: 900,
          extra: { assetTransferMethod: "eip3009", name: "USDx", version: "1", product: "credits:100" },
        },
        expect.objectContaining({ amount: "9500000" }),
      ],
    });
    const risk = await send(read, "GET", "/api/risk");
    expect([risk.status, risk.error.code, products(risk.offer)]).toEqual([
      403,
      "plan_required",
      [["subscriber:30", "20000000"]],
    ]);
    const all = await send(read, "POST", "/api/account/payments", {});
    expect([all.status, all.error.code, products(all.offer)?.length]).toEqual([402, "payment_required", 3]);
    const one = await send(read, "POST", "/api/account/payments", { product: "credits:1000" });
    expect(products(one.offer)).toEqual([["credits:1000", "9500000"]]);
    expect((await send(read, "POST", "/api/account/payments", { product: "credits:7" })).error).toMatchObject({
      code: "invalid_fields",
      field: "product",
    });
  });

  test("C11-12 is nowhere by default, while the chain is not proven, and for a stablecoin without a domain", async () => {
    const expectNone = async (app: ReadApp) => {
      const forecast = await send(app, "POST", "/api/forecast/line", series);
      expect([forecast.status, forecast.offer, forecast.error.details]).toEqual([402, null, undefined]);
      expect((await send(app, "GET", "/api/risk")).offer).toBeNull();
      expect((await send(app, "POST", "/api/account/payments", {})).error.code).toBe("payment_unavailable");
    };
    await expectNone(off);
    const [token] = testManifest.gas_station_tokens;
    const state = pinnedState(testManifest);
    for (const change of [
      { ...state, verified: false },
      { ...state, disabledGasTokens: new Set([token!.address]) },
      pinnedState({ ...testManifest, eth_usd: null }),
      pinnedState({ ...testManifest, gas_station_tokens: [{ ...token!, permit_domain: null }] }),
    ]) {
      read.setManifest(change);
      await expectNone(read);
    }
    read.setManifest(state);
    expect((await send(read, "GET", "/api/risk")).offer).not.toBeNull();
  });

  test("C11-12 is not made to an administrator, whose request is about another account", async () => {
    await database.db.indexer.query("update app.api_keys set scopes = '{admin}' where id = $1", [account.keyId]);
    const { app } = await createReadApp(database.db, settings);
    try {
      const headers = { authorization: `Bearer ${account.key}`, "idempotency-key": "12345678" };
      const payload = { account_id: account.id, amount: -5 };
      const answer = await app.inject({ method: "POST", url: "/api/admin/credits", headers, payload });
      expect([answer.statusCode, answer.headers["payment-required"]]).toEqual([402, undefined]);
    } finally {
      await app.close();
      await database.db.indexer.query("update app.api_keys set scopes = '{}' where id = $1", [account.keyId]);
    }
  });

  test.each([
    ["text that is not base64", "%%%"],
    ["JSON of another form", Buffer.from("[]").toString("base64")],
    ["another version", Buffer.from('{"x402Version":1}').toString("base64")],
    ["JSON that is cut off", Buffer.from('{"x402Version":2').toString("base64")],
  ])("C11-12 a header with %s is refused with its name", async (_, header) => {
    const { status, error } = await send(read, "POST", "/api/account/payments", {}, { "payment-signature": header });
    expect([status, error.code, error.field]).toEqual([400, "invalid_request", "Payment-Signature"]);
  });
});

describe("the settings of payments", () => {
  const base = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://127.0.0.1:1", ...settings };
  test.each<[string, Record<string, string>, RegExp]>([
    ["a recipient without prices", { PAYMENT_PRICES: "" }, /^ {2}PAYMENT_PRICES: is not set/m],
    ["a recipient without a relayer", { RELAYER_PRIVATE_KEY: "" }, /^ {2}RELAYER_PRIVATE_KEY: is not set/m],
    ["prices without a recipient", { PAYMENT_RECIPIENT: "" }, /^ {2}PAYMENT_RECIPIENT: is not set/m],
    ["the zero address", { PAYMENT_RECIPIENT: `0x${"0".repeat(40)}` }, /zero address/],
    ["an unknown product", { PAYMENT_PRICES: "gold:1=1" }, /entry 1 must be PRODUCT=PRICE/],
    ["a price of nothing", { PAYMENT_PRICES: "credits:1=0.00" }, /with a price above 0/],
    ["more decimals than the stablecoin", { PAYMENT_PRICES: "credits:1=0.0000001" }, /PRODUCT=PRICE/],
    ["a product twice", { PAYMENT_PRICES: "credits:1=1,credits:1=2" }, /names a product twice/],
    ["a price twice", { PAYMENT_PRICES: "credits:1=1,credits:2=1.0" }, /one price for two products/],
    [
      "too many prices",
      { PAYMENT_PRICES: Array.from({ length: 9 }, (_, i) => `credits:${i + 1}=${i + 1}`).join() },
      /at most 8/,
    ],
  ])("refuse %s", (_, change, message) => {
    expect(() => parseConfig({ ...base, ...change })).toThrow(message);
  });
});
