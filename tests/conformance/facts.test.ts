import { factIds } from "@slipway/protocol/facts";
import { describe, expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { token } from "../support/conformance/validCalls.ts";

const path = { address: token };

describe.skipIf(target.fixture === null)("GET /tokens/{address}/facts", () => {
  statusCase("GET /tokens/{address}/facts", 200, "agrees with the token's trades and balances", async () => {
    const { body } = await call("GET /tokens/{address}/facts", { path });
    const detail = (await call("GET /tokens/{address}", { path })).body;
    const { items: holders } = (await call("GET /tokens/{address}/holders", { path, query: { limit: 300 } })).body;
    const { items: trades } = (await call("GET /tokens/{address}/trades", { path, query: { limit: 300 } })).body;
    expect(body.facts.map(({ id }: any) => id)).toEqual(factIds);
    const get = (id: string) => body.facts.find((fact: any) => fact.id === id);
    const sum = (amounts: string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n).toString();

    expect(body.creator).toBe(target.fixture!.creator);
    const balance = holders.find(({ address }: any) => address === body.creator)?.amount ?? "0";
    expect(get("creator_share").amount).toBe(balance);
    const top = holders.filter(({ label }: any) => !["pool", "locker", "burn"].includes(label)).slice(0, 10);
    expect(get("top_10_share").amount).toBe(sum(top.map(({ amount }: any) => amount)));
    const first = trades.filter((trade: any) => trade.block_number < detail.block_number + 10 && trade.side === "buy");
    expect(get("first_10_blocks_bought").amount).toBe(sum(first.map((trade: any) => trade.token_amount)));
    expect(get("first_10_blocks_buyers").value).toBe(new Set(first.map((trade: any) => trade.account)).size);
    expect(detail.facts.creator_share_pct).toBe(get("creator_share").value);
    expect([get("fee_total").value, get("fee_protocol").value]).toEqual([1, 0.1]);
  });
});
