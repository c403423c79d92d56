import { isPaymasterUrl } from "@slipway/protocol/paymasterUrl";
import { describe, expect, it } from "vitest";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { someWallet } from "../support/conformance/validCalls.ts";

describe("GET /config", () => {
  statusCase(
    "GET /config",
    200,
    "conveys fee policy, oracle, providers, capabilities, contracts and manifest",
    async () => {
      const { body } = await call("GET /config");
      expect(body).toMatchObject({
        api_version: "0.1.0",
        chain_id: target.chainId,
        providers: { wallet: { available: true } },
      });
      expect(body.fee_policy).toEqual({
        protocol_bps: 10,
        tiers: [100, 50, 30, 10].map((fee_bps) => ({
          fee_bps,
          protocol_bps: 10,
          collaborators_bps: fee_bps - 10,
          // The chain's Uniswap factory decides which of the other tiers launch.
          launchable: fee_bps === 100 ? true : expect.any(Boolean),
        })),
      });
      expect(["usd", "eth"]).toContain(body.quote);
      expect(body.eth_usd === null ? "eth" : "usd").toBe(body.quote);
      expect(body.eth_usd).toBe(body.oracle.price);
      expect(body.eth_usd_source_pool).toBe(body.oracle.pool);
      expect(body.paymaster_url === null || isPaymasterUrl(body.paymaster_url)).toBe(true);
      expect(body.manifest).toMatchObject({ pinned: true, verified: true });
      expect(Object.keys(body.gas_station).sort()).toEqual(["available", "markup_bps", "station", "tokens"]);
    },
  );

  it("names a reason for each capability that is not configured", async () => {
    const { capabilities } = (await call("GET /config")).body;
    for (const [name, { configured, reason }] of Object.entries<any>(capabilities)) {
      expect(configured ? reason : typeof reason, name).toBe(configured ? null : "string");
    }
  });
});

describe("GET /analytics", () => {
  statusCase("GET /analytics", 200, "counts launches and trades and says in words what they cover", async () => {
    const { body } = await call("GET /analytics");
    expect(body.launches_total).toBeGreaterThanOrEqual(body.launches_24h);
    expect(body.trades_covered).toBeGreaterThanOrEqual(body.trades_24h);
    expect(body.coverage.to_block).toBeGreaterThanOrEqual(body.coverage.from_block);
    expect(body.coverage.head_block).toBeGreaterThanOrEqual(body.coverage.to_block);
    expect(body.coverage.message.length).toBeGreaterThan(10);
    if (target.fixture === null) return;
    expect(body.launches_total).toBeGreaterThanOrEqual(1);
    expect(body.trades_covered).toBeGreaterThanOrEqual(target.fixture.swaps.length);
  });
});

describe("GET /qr.png", () => {
  statusCase("GET /qr.png", 200, "draws an address, with or without scheme and chain", async () => {
    for (const text of [
      someWallet,
      `ethereum:${someWallet}`,
      `${someWallet}@46630`,
      `ethereum:${someWallet}@1`,
      `${someWallet}@12345678`,
      `0x${"0".repeat(40)}`,
    ]) {
      const { status, headers, bytes } = await call("GET /qr.png", { query: { text } });
      expect([status, headers.get("content-type")], text).toEqual([200, "image/png"]);
      expect([...bytes.slice(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    }
  });

  statusCase("GET /qr.png", 400, "refuses every other text", async () => {
    const wrong = [
      "",
      "x",
      someWallet.slice(0, -1),
      `${someWallet}0`,
      `${someWallet}@`,
      `${someWallet}@123456789`,
      `bitcoin:${someWallet}`,
      ` ${someWallet}`,
      `${someWallet}\n`,
      `${someWallet}?amount=1`,
    ];
    for (const text of wrong) {
      const { status, body } = await call("GET /qr.png", { query: { text } });
      expect([status, body.error.code, body.error.field], JSON.stringify(text)).toEqual([400, "invalid_query", "text"]);
    }
    expect((await call("GET /qr.png")).status).toBe(400);
  });
});

describe("the operator's endpoints", () => {
  statusCase("GET /healthz", 200, "say that the process is alive", async () => {
    expect((await call("GET /healthz")).body).toEqual({ status: "alive" });
  });

  statusCase("GET /readyz", 200, "say that it is ready, part by part", async () => {
    const { body } = await call("GET /readyz");
    expect(body.ready).toBe(true);
    expect(Object.values<any>(body.checks).every(({ ok }) => ok)).toBe(true);
    expect(body.manifest).toMatchObject({ pinned: true, verified: true });
    // It is reported but has no effect on readiness.
    expect(typeof body.gas_station.available).toBe("boolean");
    expect(body.gas_station.reason === null).toBe(body.gas_station.available);
  });

  statusCase("GET /metrics", 200, "show the metrics in Prometheus' text format", async () => {
    await call("GET /tokens");
    const { bytes, headers } = await call("GET /metrics");
    const text = new TextDecoder().decode(bytes);
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(text).toMatch(
      /^slipway_http_request_duration_seconds_count\{.*route="\/api\/v1\/launchpad\/tokens".*\} \d+$/m,
    );
    expect(text).not.toContain(target.apiKey);
  });

  it("are never cached", async () => {
    for (const path of ["GET /healthz", "GET /readyz", "GET /metrics"]) {
      expect((await call(path)).headers.get("cache-control"), path).toBe("no-store");
    }
  });
});

describe("the documentation", () => {
  it("is an OpenAPI 3.1 document whose every operation has a summary, an id and a success", () => {
    expect(caller.api.document.openapi).toBe("3.1.0");
    for (const operation of caller.api.operations.values()) {
      expect(operation.operationId, operation.name).toMatch(/^[a-z][A-Za-z]+$/);
      expect(Math.min(...operation.answers.keys()), operation.name).toBeLessThan(400);
    }
  });

  it("has a readable page that loads nothing from elsewhere", async () => {
    const response = await fetch(`${target.siteUrl}/docs/`);
    const html = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
    const outside = [...html.matchAll(/(?:src|href)=["'](https?:)?\/\/[^"']+/g)].map(([match]) => match);
    expect(outside).toEqual([]);
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'/);
  });
});
