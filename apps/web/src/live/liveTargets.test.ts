import { applyMessage } from "@slipway/sdk/applyMessage";
import type { LiveMessage } from "@slipway/sdk/leanStreamEvents";
import { QueryClient } from "@tanstack/react-query";
import { expect, onTestFinished, test, vi } from "vitest";
import { tradePages } from "../data/tokenQueries.ts";
import { createLiveTargets } from "./liveTargets.ts";

const token = `0x${"aa".repeat(20)}`;
const { queryKey } = tradePages(token);
const toId = (block: number) => `0x${block}:0`;
const toTrade = (block_number: number) => ({ id: toId(block_number), block_number, log_index: 0 }) as never;
const toMessage = (block: number): LiveMessage => ({
  type: "trade",
  cursor: String(block),
  data: { token, trade: toTrade(block) },
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** Watches a tape of several pages, with the newest trade in block 100. */
function watchPages(count: number) {
  const client = new QueryClient();
  const pages = range(0, count).map((page) => {
    const items = range(0, 50).map((index) => toTrade(100 - page * 50 - index));
    return { items, next_before: toId(100 - page * 50 - 49) };
  });
  client.setQueryData(queryKey, { pages, pageParams: Array(count).fill(null) });
  const targets = createLiveTargets(client, applyMessage);
  targets.add({ kind: "trades", token, paged: true, key: queryKey });
  return {
    apply: (from: number, to: number) => targets.apply(range(from, to).map(toMessage)),
    read: () => client.getQueryData(queryKey)!.pages.map(({ items }) => items.length),
    next: () => client.getQueryData(queryKey)!.pages[0]!.next_before,
    newest: () => client.getQueryData(queryKey)!.pages[0]!.items[0]!.block_number,
  };
}

test("a tape keeps its length while older trades are not shown", () => {
  const tape = watchPages(1);
  tape.apply(101, 180);
  expect([tape.read(), tape.newest(), tape.next()]).toEqual([[50], 179, toId(130)]);
});

test("a tape loses no trade between its pages, and drops its older pages after very many trades", () => {
  const tape = watchPages(2);
  tape.apply(101, 551);
  expect([tape.read(), tape.newest(), tape.next()]).toEqual([[500, 50], 550, toId(51)]);
  tape.apply(551, 552);
  expect([tape.read(), tape.newest(), tape.next()]).toEqual([[50], 551, toId(502)]);
});

test("an opening is read once for many messages, and not for those of other openings", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const opening = `0x${"bb".repeat(20)}`;
  const client = new QueryClient();
  const key = ["getOpening", { address: opening }];
  const read = vi.fn(async () => ({ as_of: { block_number: 1 } }));
  client.setQueryDefaults(key, { queryFn: read });
  client.setQueryData(key, { as_of: { block_number: 1 } });
  const targets = createLiveTargets(client, applyMessage);
  targets.add({ kind: "opening", token: opening, opening, key });
  const toChange = (address: string) =>
    ({ type: "opening", cursor: "1", data: { opening: address, kind: "deposited" } }) as LiveMessage;
  targets.apply([toChange(token)]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).toHaveBeenCalledTimes(0);
  for (let count = 0; count < 5; count++) targets.apply([toChange(opening), toChange(opening)]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).toHaveBeenCalledTimes(1);
  targets.stop();
});
