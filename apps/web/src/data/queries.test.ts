import { ApiError } from "@slipway/sdk/apiError";
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { spyOnApi } from "../../../../tests/support/web/spyOnApi.ts";
import { withoutBlock } from "./isOlder.ts";
import { pageOptions, readOptions } from "./queries.ts";
import { tradePages } from "./tokenQueries.ts";

const address = "0x00000000000000000000000000000000000000Aa";
const answer = (block_number: number) => ({ as_of: { block_number, timestamp: "" }, items: [] }) as never;
const failure = (retryAfterSeconds: number | null, retryable = true) =>
  new ApiError({
    code: "index_unavailable",
    message: "Later.",
    status: 503,
    requestId: "r1",
    retryable,
    retryAfterSeconds,
  });

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  client.clear();
});

describe("a read", () => {
  const options = readOptions("listTokens", { limit: 5 });
  const read = async () => {
    const query = client.fetchQuery({ ...options, staleTime: 0 });
    query.catch(() => undefined);
    await vi.runAllTimersAsync();
    return await query;
  };

  it("drops a response that is older than the shown data, unless blocks were undone", async () => {
    const listTokens = spyOnApi("listTokens").mockResolvedValueOnce(answer(7)).mockResolvedValueOnce(answer(6));
    await read();
    expect((await read()).as_of.block_number).toBe(7);
    client.setQueryData(options.queryKey, (shown) => withoutBlock(shown));
    listTokens.mockResolvedValueOnce(answer(5));
    expect((await read()).as_of.block_number).toBe(5);
  });

  it("waits for the service's Retry-After, at most twice", async () => {
    const listTokens = spyOnApi("listTokens").mockRejectedValue(failure(7));
    const query = client.fetchQuery(options);
    query.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(6_999);
    expect(listTokens).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(listTokens).toHaveBeenCalledTimes(2);
    await vi.runAllTimersAsync();
    await expect(query).rejects.toMatchObject({ code: "index_unavailable", requestId: "r1", retryAfterSeconds: 7 });
    expect(listTokens).toHaveBeenCalledTimes(3);
  });

  it.each([
    ["after a long wait", failure(60)],
    ["that is not retryable", failure(null, false)],
    ["without an answer", new TypeError("Failed to fetch")],
  ])("is not repeated by itself when it fails %s", async (_, error) => {
    const listTokens = spyOnApi("listTokens").mockRejectedValue(error);
    await expect(read()).rejects.toBe(error);
    expect(listTokens).toHaveBeenCalledTimes(1);
  });
});

describe("pages", () => {
  it("continue at the page's cursor or block, and end without one", async () => {
    const holders = spyOnApi("listTokenHolders")
      .mockResolvedValueOnce({ items: [], next_cursor: "1~0x2" } as never)
      .mockResolvedValueOnce({ items: [], next_cursor: null } as never);
    const query = client.fetchInfiniteQuery({ ...pageOptions("listTokenHolders", { address }), pages: 9 });
    await vi.runAllTimersAsync();
    expect((await query).pages).toHaveLength(2);
    expect(holders.mock.calls.map(([input]) => input)).toEqual([{ address }, { address, cursor: "1~0x2" }]);
  });

  it("of trades continue at the trade that the page names", async () => {
    const id = `0x${"1".repeat(64)}:0`;
    const trades = spyOnApi("listTokenTrades")
      .mockResolvedValueOnce({ items: [{ id }], next_before: id } as never)
      .mockResolvedValueOnce({ items: [], next_before: null } as never);
    const query = client.fetchInfiniteQuery({ ...tradePages(address), pages: 9 });
    await vi.runAllTimersAsync();
    expect((await query).pages).toHaveLength(2);
    expect(trades.mock.calls[1]![0]).toEqual({ address: address.toLowerCase(), limit: 50, before: id });
  });
});
