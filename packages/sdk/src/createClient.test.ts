import { describe, expect, it } from "vitest";
import { ApiError } from "./apiError.ts";
import { createClient } from "./createClient.ts";
import { sendable, sendableCalls } from "./sendable.ts";

type Sent = { url: string; init: RequestInit & { headers: Headers } };

/** Creates a client that records its requests and gets one response for all. */
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
  launched_token: null,
  warnings: [],
};

describe("createClient", () => {
  it("sends a file as the part `file` of a form, with the key and without its own Content-Type", async () => {
    const stored = {
      ...{ uri: "ipfs://bafy", ipfs: "ipfs://bafy", url: "https://launch.example/media/x.webp", ipfs_error: null },
      ...{ sha256: "ab".repeat(32), cid: "bafy", width: 1, height: 1, animated: false, bytes: 44 },
      ...{ content_type: "image/webp", blurhash: "L", dominant_color: "#ffffff" },
    };
    const { client, sent } = clientAnswering(200, stored);
    expect(await client.uploadImage({ file: new Uint8Array([1, 2, 3]) })).toEqual(stored);
    expect(await client.uploadImage({ file: new Blob(["abc"]) })).toEqual(stored);
    for (const [index, text] of ["\u0001\u0002\u0003", "abc"].entries()) {
      const { url, init } = sent[index]!;
      expect([url, init.method]).toEqual(["https://launch.example/api/v1/launchpad/images", "POST"]);
      expect([init.headers.get("authorization"), init.headers.get("content-type")]).toEqual(["Bearer slip_test", null]);
      const form = init.body as FormData;
      expect([...form.keys()]).toEqual(["file"]);
      expect(await (form.get("file") as File).text()).toBe(text);
    }
  });

  it("calls operations below the site, with an Idempotency-Key if they cost credits", async () => {
    const info = { series: { min: 10, max: 4096 }, prediction_length: { min: 1, max: 256 }, intervals: ["HOUR_1"] };
    const limits = { known_future: { max: 4 }, batch: { series: 64, values: 32_768, prediction_lengths: 4_096 } };
    const answer = { ...info, ...limits, levels: [50, 80, 95], credits: 1, accuracy: [], model_version: "2" };
    const { client, sent } = clientAnswering(200, answer);
    expect(await client.getForecastInfo()).toEqual(answer);
    const request = { series: Array(10).fill(1), prediction_length: 1, interval: "HOUR_1" } as const;
    await client.forecastLine(request, { idempotencyKey: "my-forecast" }).catch(() => undefined);
    expect(sent.map(({ url }) => url)).toEqual([
      "https://launch.example/api/forecast",
      "https://launch.example/api/forecast/line",
    ]);
    expect(sent[1]!.init.headers.get("idempotency-key")).toBe("my-forecast");
    expect(JSON.parse(String(sent[1]!.init.body))).toEqual(request);
  });

  it("reads trading signals below the site", async () => {
    const answer = { as_of: "2026-11-21T14:00:09.000Z", count: 0, disclaimer: "", items: [] };
    const { client, sent } = clientAnswering(200, { ...answer, next_cursor: null });
    expect(await client.getLatestSignals({ pair: "BTC_USDT", limit: 5 })).toMatchObject(answer);
    expect(await client.listSignals({ outcome: "hit", cursor: "abc" })).toEqual({ ...answer, next_cursor: null });
    expect(sent.map(({ url }) => url)).toEqual([
      "https://launch.example/api/trading-bot/public-signals-latest?pair=BTC_USDT&limit=5",
      "https://launch.example/api/trading-bot/public-signals?outcome=hit&cursor=abc",
    ]);
  });

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

describe("sendableCalls", () => {
  const from = "0x00000000000000000000000000000000000000Aa";
  const manifest = { sha256: "ab", chain_id: 46_630 };

  it("is the atomic batch of wallet_sendCalls", () => {
    const calls = [{ to: from, data: "0x60", value: "0x0" }];
    expect(sendableCalls({ calls, manifest }, from)).toEqual({
      version: "2.0.0",
      chainId: "0xb626",
      from,
      atomicRequired: true,
      calls,
    });
  });

  it("is null when there is nothing to do", () => {
    expect(sendableCalls({ calls: [], manifest }, from)).toBeNull();
  });
});
