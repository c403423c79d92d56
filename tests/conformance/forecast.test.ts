import { describe, expect } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { forecastBody, newKey } from "../support/conformance/validCalls.ts";

const operation = "POST /api/forecast/line";

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

  statusCase(operation, 402, "refuses an account without credits", async () => {
    const { status, body } = await call(operation, { key: null, headers: await newAccount(0), body: forecastBody() });
    expect([status, body.error.code]).toEqual([402, "insufficient_credits"]);
  });
});
