// @vitest-environment happy-dom
import { ApiError } from "@slipway/sdk/apiError";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { quoteOptions } from "./quoteQuery.ts";
import type { TradeOrder } from "./tradeOrder.ts";

const order = (amount: string): TradeOrder => ({
  token: `0x${"11".repeat(20)}`,
  wallet: `0x${"22".repeat(20)}`,
  side: "buy",
  asset: "native",
  amount,
  slippageBps: 100,
});
const refuse = (status: number, code: string) =>
  Object.assign(Object.create(ApiError.prototype) as ApiError, { status, code, message: code });

/** Opens a query for the quote of one order after another. */
function open() {
  const api = {
    prepareTradeCalls: vi.fn(async ({ amount_in }: { amount_in: string }) => ({
      quote: { amount_out: amount_in },
      fees: { total_wei: "1" },
    })),
    quoteTrade: vi.fn(async ({ amount_in }: { amount_in: string }) => ({ amount_out: amount_in })),
  };
  const onSignedOut = vi.fn();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const getOptions = (amount: string, enabled = true) => ({
    ...quoteOptions({ api: api as never, onSignedOut }, order(amount)),
    enabled,
  });
  const observer = new QueryObserver(client, getOptions("1"));
  const stop = observer.subscribe(() => {});
  const type = (amount: string, enabled?: boolean) => observer.setOptions(getOptions(amount, enabled));
  const getShown = () => observer.getCurrentResult();
  return { api, onSignedOut, type, getShown, stop };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("the quote of an order", () => {
  test("is requested when the user stops typing", async () => {
    const { api, type, getShown, stop } = open();
    await vi.advanceTimersByTimeAsync(300);
    type("12");
    await vi.advanceTimersByTimeAsync(300);
    type("123");
    await vi.advanceTimersByTimeAsync(500);
    expect(api.prepareTradeCalls).toHaveBeenCalledTimes(1);
    expect(getShown().data?.quote?.amount_out).toBe("123");
    stop();
  });

  test("never shows a late response to an earlier order, and aborts its request", async () => {
    const { api, type, getShown, stop } = open();
    let answerLate = (_: unknown) => {};
    let lateSignal: AbortSignal | undefined;
    api.prepareTradeCalls.mockImplementationOnce(((_: unknown, options: { signal: AbortSignal }) => {
      lateSignal = options.signal;
      return new Promise((resolve) => {
        answerLate = resolve;
      });
    }) as never);
    await vi.advanceTimersByTimeAsync(500);
    type("2");
    expect(lateSignal?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    answerLate({ quote: { amount_out: "999" }, fees: {} });
    await vi.advanceTimersByTimeAsync(1);
    expect(getShown().data?.quote?.amount_out).toBe("2");
    stop();
  });

  test("is requested again every 15 seconds, but not while disabled", async () => {
    const { api, type, stop } = open();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(api.prepareTradeCalls).toHaveBeenCalledTimes(3);
    type("1", false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.prepareTradeCalls).toHaveBeenCalledTimes(3);
    stop();
  });

  test("is requested again when the user returns to an earlier amount", async () => {
    const { api, type, getShown, stop } = open();
    await vi.advanceTimersByTimeAsync(500);
    type("2");
    await vi.advanceTimersByTimeAsync(500);
    type("1");
    expect(getShown().data).toBeUndefined();
    await vi.advanceTimersByTimeAsync(500);
    expect(api.prepareTradeCalls).toHaveBeenCalledTimes(3);
    stop();
  });

  test("has the plain quote and the shortage if the wallet can't pay", async () => {
    const { api, getShown, stop } = open();
    api.prepareTradeCalls.mockRejectedValueOnce(refuse(422, "insufficient_balance"));
    await vi.advanceTimersByTimeAsync(500);
    expect(getShown().data).toMatchObject({ quote: { amount_out: "1" }, shortage: { code: "insufficient_balance" } });
    stop();
  });

  test("reports an ended session", async () => {
    const { api, onSignedOut, getShown, stop } = open();
    api.prepareTradeCalls.mockRejectedValueOnce(refuse(401, "unauthorized"));
    await vi.advanceTimersByTimeAsync(500);
    expect(onSignedOut).toHaveBeenCalledTimes(1);
    expect(getShown().error).toMatchObject({ status: 401 });
    stop();
  });
});
