import { tokenList } from "@slipway/protocol/tokenList";
import { describe, expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { pool, token, unknownToken } from "../support/conformance/validCalls.ts";
import { findTokenListFault } from "../support/feeds/findTokenListFault.ts";

describe("feeds", () => {
  statusCase("GET /feeds/tokenlist.json", 200, "is a Uniswap Token List that begins with wrapped native", async () => {
    // A new stack has the list once its job has run.
    await expect.poll(async () => (await call("GET /feeds/tokenlist.json")).status).toBe(200);
    const { body, headers } = await call("GET /feeds/tokenlist.json");
    expect(tokenList.parse(body)).toEqual(body);
    expect(findTokenListFault(body)).toBeNull();
    expect(body.tokens[0]).toMatchObject({ chainId: target.chainId, symbol: "WETH" });
    expect([headers.get("access-control-allow-origin"), headers.get("etag") === null]).toEqual(["*", false]);
  });

  for (const feed of ["dexscreener", "geckoterminal"] as const) {
    const get = (path: string, query = {}) => call(`GET /feeds/${feed}/${path}`, { query });

    statusCase(`GET /feeds/${feed}/latest-block`, 200, "is the newest final block", async () => {
      const { status, body, headers } = await get("latest-block");
      expect([status, body.block.blockNumber > 0]).toEqual([200, true]);
      expect([headers.get("access-control-allow-origin"), headers.get("etag") === null]).toEqual(["*", false]);
    });

    statusCase(
      `GET /feeds/${feed}/asset`,
      [200, 404],
      "is a launch or wrapped native",
      async () => {
        expect((await get("asset", { id: token })).body.asset).toMatchObject({ id: token, symbol: "KITE" });
        expect((await get("asset", { id: target.weth })).body.asset.symbol).toBe("WETH");
        expect((await get("asset", { id: unknownToken })).body.error.code).toBe("token_not_indexed");
      },
      { signs: true },
    );

    statusCase(
      `GET /feeds/${feed}/pair`,
      [200, 404],
      "is the pool of a launch",
      async () => {
        expect((await get("pair", { id: pool })).body.pair).toMatchObject({ id: pool, dexKey: "slipway" });
        expect((await get("pair", { id: token })).body.error.code).toBe("token_not_indexed");
      },
      { signs: true },
    );

    statusCase(
      `GET /feeds/${feed}/events`,
      [200, 400, 503],
      "has the launch's liquidity first, and refuses blocks that are not final",
      async () => {
        const { createdAtBlockNumber: fromBlock } = (await get("pair", { id: pool })).body.pair;
        const { body } = await get("events", { fromBlock, toBlock: fromBlock });
        expect(body.events[0]).toMatchObject({ eventType: "join", pairId: pool });
        const reversed = await get("events", { fromBlock: 2, toBlock: 1 });
        expect([reversed.status, reversed.body.error.field]).toEqual([400, "toBlock"]);
        const late = await get("events", { fromBlock: 10 ** 14, toBlock: 10 ** 14 });
        expect([late.status, late.body.error.code]).toEqual([503, "index_unavailable"]);
      },
      { signs: true },
    );
  }

  statusCase("GET /feeds/udf/config", 200, "describes the datafeed", async () => {
    expect((await call("GET /feeds/udf/config")).body.supported_resolutions).toContain("60");
  });

  statusCase("GET /feeds/udf/time", 200, "is the time as text", async () => {
    const { bytes, headers } = await call("GET /feeds/udf/time");
    expect(Buffer.from(bytes).toString()).toMatch(/^\d{10}$/);
    expect(headers.get("content-type")).toContain("text/plain");
  });

  statusCase(
    "GET /feeds/udf/symbols",
    200,
    "names a symbol by its address",
    async () => {
      const { body } = await call("GET /feeds/udf/symbols", { query: { symbol: token } });
      expect(body).toMatchObject({ ticker: token, type: "crypto", minmov: 1 });
    },
    { signs: true },
  );

  statusCase(
    "GET /feeds/udf/search",
    200,
    "finds launches",
    async () => {
      const { body } = await call("GET /feeds/udf/search", { query: { query: "KITE", limit: 30 } });
      expect(body.map(({ ticker }: { ticker: string }) => ticker)).toContain(token);
    },
    { signs: true },
  );

  statusCase(
    "GET /feeds/udf/history",
    200,
    "has bars, or says that there are none",
    async () => {
      const query = { symbol: token, resolution: "1", from: 0, to: 9_999_999_999, countback: 5 };
      expect(["ok", "no_data"]).toContain((await call("GET /feeds/udf/history", { query })).body.s);
      const unknown = await call("GET /feeds/udf/history", { query: { ...query, symbol: unknownToken } });
      expect([unknown.status, unknown.body.s]).toEqual([200, "error"]);
    },
    { signs: true },
  );

  statusCase(
    "GET /events",
    200,
    "has the trades of all pools",
    async () => {
      const { block_number: from_block } = (await call("GET /tokens/{address}", { path: { address: token } })).body;
      const { items } = (await call("GET /events", { query: { from_block, limit: 1_000 } })).body;
      expect(
        items.some((event: { token: string; kind: string }) => event.token === token && event.kind === "swap"),
      ).toBe(true);
    },
    { signs: true },
  );

  statusCase(
    "GET /pools/{address}",
    [200, 400, 404],
    "is the token of a pool",
    async () => {
      const get = (address: string) => call("GET /pools/{address}", { path: { address } });
      expect((await get(pool)).body.address).toBe(token);
      expect((await get(token)).body.error.code).toBe("token_not_indexed");
      expect((await get("0x12")).body.error.code).toBe("invalid_address");
    },
    { signs: true },
  );

  statusCase(
    "GET /tokens/{address}/contract-uri",
    200,
    "is the document of a launch",
    async () => {
      const { status, body, headers } = await call("GET /tokens/{address}/contract-uri", { path: { address: token } });
      expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(body.name).toBe((await call("GET /tokens/{address}", { path: { address: token } })).body.name);
    },
    { signs: true },
  );

  statusCase("GET /tokens/{address}/contract-uri", [400, 404], "is of indexed tokens alone", async () => {
    const get = (address: string) => call("GET /tokens/{address}/contract-uri", { path: { address } });
    expect((await get(unknownToken)).body.error.code).toBe("token_not_indexed");
    expect((await get("0x12")).body.error.code).toBe("invalid_address");
  });

  statusCase(
    "GET /og/{name}",
    200,
    "is a PNG",
    async () => {
      const { status, bytes, headers } = await call("GET /og/{name}", { path: { name: `${token}.png` } });
      expect([status, headers.get("content-type")]).toEqual([200, "image/png"]);
      expect(Buffer.from(bytes.subarray(1, 4)).toString()).toBe("PNG");
    },
    { signs: true },
  );

  statusCase("GET /og/{name}", 404, "is of indexed tokens alone", async () => {
    for (const name of [`${unknownToken}.png`, "x.png", unknownToken]) {
      expect((await call("GET /og/{name}", { path: { name } })).body.error.code).toBe("not_found");
    }
  });
});
