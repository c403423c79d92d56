import { describe, expect, it } from "vitest";
import { ApiError } from "./apiError.ts";
import { createClient } from "./createClient.ts";
import { sendable } from "./sendable.ts";

type Sent = { url: string; init: RequestInit & { headers: Headers } };

/** Creates a client whose requests are recorded and all get one response. */
function clientAnswering(status: number, body: unknown, headers: Record<string, string> = {}) {
  const sent: Sent[] = [];
  const answer = typeof body === "string" ? body : JSON.stringify(body);
  const client = createClient({
    baseUrl: "https://launch.example/api/v1/launchpad/",
    apiKey: "slip_test",
    fetch: async (url, init) => {
      sent.push({ url: String(url), init: init as Sent["init"] });
      return new Response(answer, { status, headers });
    },
  });
  return { client, sent };
}

const draft = {
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  status: "draft",
  intent: { name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy", chain_id: 46630 },
  created_at: "2026-01-01T00:00:00.000Z",
  transaction: null,
  warnings: [],
};

describe("createClient", () => {
  it("encodes the input of a GET into path and query and omits undefined values", async () => {
    const { client, sent } = clientAnswering(200, { items: [], next_before: null });
    await client.listTokenTrades({ address: "0x00000000000000000000000000000000000000Aa", limit: 7 });
    await client.listTokenTrades({ address: "0x00000000000000000000000000000000000000Aa" });
    const root = "https://launch.example/api/v1/launchpad/tokens/0x00000000000000000000000000000000000000Aa/trades";
    expect(sent.map(({ url }) => url)).toEqual([`${root}?limit=7`, root]);
  });

  it("sends the key only to guarded endpoints", async () => {
    const { client, sent } = clientAnswering(200, { items: [], next_before: null });
    await client.listTokenTrades({ address: "0x00000000000000000000000000000000000000Aa" });
    await client.listIntents();
    expect(sent.map(({ init }) => init.headers.get("authorization"))).toEqual([null, "Bearer slip_test"]);
  });

  it("gives each draft a new idempotency key, or the caller's", async () => {
    const { client, sent } = clientAnswering(201, draft);
    const intent = { name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy", chain_id: 46630 } as const;
    await client.createIntent(intent);
    await client.createIntent(intent);
    await client.createIntent(intent, { idempotencyKey: "mine-0001" });
    const keys = sent.map(({ init }) => init.headers.get("idempotency-key"));
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[2]).toBe("mine-0001");
    expect(JSON.parse(sent[0]?.init.body as string)).toEqual(intent);
  });

  it("throws the service's error with its code, status, request and advice", async () => {
    const error = {
      code: "rate_limited",
      message: "Slow down.",
      request_id: "r1",
      retryable: true,
      details: { per_second: 50 },
    };
    const { client } = clientAnswering(429, { error }, { "retry-after": "2" });
    await expect(client.listIntents()).rejects.toMatchObject({
      name: "ApiError",
      code: "rate_limited",
      status: 429,
      requestId: "r1",
      retryable: true,
      retryAfterSeconds: 2,
      details: { per_second: 50 },
    });
  });

  it("throws unexpected_answer for a response of another program", async () => {
    const { client } = clientAnswering(502, "<html>bad gateway</html>");
    const error = await client.getConfig().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "unexpected_answer", status: 502, retryable: true });
  });

  it("throws an error whose code is of a later version of the service", async () => {
    const error = { code: "brand_new", message: "New.", request_id: "r2", retryable: true, field: "wallet" };
    const { client } = clientAnswering(422, { error });
    await expect(client.listIntents()).rejects.toMatchObject({
      ...{ code: "unexpected_answer", status: 422, message: "New.", requestId: "r2", retryable: true, field: "wallet" },
    });
  });

  it("is retryable after a proxy's limit, at the time of Retry-After", async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const { client } = clientAnswering(429, "<html>slow down</html>", { "retry-after": inAMinute });
    const error = (await client.getConfig().catch((reason: unknown) => reason)) as ApiError;
    expect(error).toMatchObject({ code: "unexpected_answer", status: 429, retryable: true });
    expect(error.retryAfterSeconds).toBeGreaterThan(50);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it("refuses a response that violates its schema", async () => {
    const { client } = clientAnswering(200, { items: [{ id: 5 }] });
    await expect(client.listIntents()).rejects.toThrow();
  });
});

describe("sendable", () => {
  it("converts hex quantities for signers and omits `to` of a creation", () => {
    const from = "0x00000000000000000000000000000000000000Aa";
    const transaction = { chainId: "0xb626", from, data: "0x60", value: "0x0", gas: "0x5208" };
    expect(sendable({ transaction })).toEqual({
      chainId: 46630,
      from,
      data: "0x60",
      value: 0n,
      gas: 21000n,
      gasLimit: 21000n,
    });
  });

  it("is null when there is nothing to do", () => {
    expect(sendable({ transaction: null })).toBeNull();
  });
});
