import { tokenList } from "@slipway/protocol/tokenList";
import { describe, expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { token, unknownToken } from "../support/conformance/validCalls.ts";
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
