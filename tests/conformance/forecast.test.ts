import { describe, expect } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { forecastBody, newKey } from "../support/conformance/validCalls.ts";

const operation = "POST /api/forecast/line";
const batch = "POST /api/forecast/lines";

statusCase("GET /api/forecast", 200, "returns limits, intervals, cost and version", async () => {
  const { body } = await call("GET /api/forecast");
  expect(body).toMatchObject({ series: { min: 10, max: 4_096 }, prediction_length: { min: 1, max: 256 }, credits: 1 });
  expect(body.intervals).toContain("HOUR_1");
});

describe("a body above 128 KiB", () => {
  statusCase(operation, 422, "names the series", async () => {
    const { status, body } = await call(operation, { body: { ...forecastBody(), series: Array(100_000).fill(1) } });
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "series"]);
  });
});

describe("a body above 1 MiB", () => {
  statusCase(batch, 422, "names the items", async () => {
    const { status, body } = await call(batch, { body: { items: Array(600_000).fill(1) } });
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "items"]);
  });
});

describe.skipIf(target.adminKey === null)("with an account's credits", () => {
  const newAccount = async (amount: number) => {
    const { accountId, headers } = await signIn(target.siteUrl);
    if (amount > 0) {
      await call("POST /api/admin/credits", { headers: newKey(), body: { account_id: accountId, amount } });
    }
    return headers;
  };

  statusCase(operation, [200, 409], "forecasts, once for each key", async () => {
    const headers = { ...(await newAccount(2)), ...newKey() };
    const ask = (body: unknown) => call(operation, { key: null, headers, body });
    const [first, second] = [await ask(forecastBody()), await ask(forecastBody())];
    expect([first.status, first.headers.get("credits-remaining")]).toEqual([200, "1"]);
    expect([second.body, second.headers.get("credits-remaining")]).toEqual([first.body, "1"]);
    const other = await ask({ ...forecastBody(), prediction_length: 3 });
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
  });

  statusCase(batch, [200, 409], "forecasts several series, once for each key", async () => {
    const headers = { ...(await newAccount(4)), ...newKey() };
    const ask = (items: unknown[]) => call(batch, { key: null, headers, body: { items } });
    const covariate = Array.from({ length: 12 }, (_, t) => t % 3);
    const items = [forecastBody(), { ...forecastBody(), known_future: [covariate] }];
    const [first, second] = [await ask(items), await ask(items)];
    expect([first.status, first.body.credits.charged, first.headers.get("credits-remaining")]).toEqual([200, 2, "2"]);
    expect([second.body, second.headers.get("credits-remaining")]).toEqual([first.body, "2"]);
    const single = await call(operation, { key: null, headers: await newAccount(1), body: forecastBody() });
    expect(first.body.items[0]).toEqual(single.body);
    const other = await ask(items.slice(1));
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
  });

  statusCase(
    batch,
    402,
    "refuses several series that cost more than the account has, and charges nothing",
    async () => {
      const headers = await newAccount(1);
      const ask = (count: number) =>
        call(batch, { key: null, headers, body: { items: Array.from({ length: count }, forecastBody) } });
      const { status, body } = await ask(2);
      expect([status, body.error.code]).toEqual([402, "insufficient_credits"]);
      expect((await ask(1)).status).toBe(200);
    },
  );

  statusCase(operation, 402, "refuses an account without credits", async () => {
    const { status, body } = await call(operation, { key: null, headers: await newAccount(0), body: forecastBody() });
    expect([status, body.error.code]).toEqual([402, "insufficient_credits"]);
  });
});
