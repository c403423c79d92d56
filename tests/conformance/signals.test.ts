import { expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";

statusCase("GET /api/trading-bot/public-signals-latest", 200, "returns one signal a market and strategy", async () => {
  const { body } = await call("GET /api/trading-bot/public-signals-latest", { query: { limit: 200 } });
  const keys = body.items.map(({ pair, strategy }: any) => `${pair} ${strategy}`);
  expect(new Set(keys).size).toBe(body.count);
  const { body: none } = await call("GET /api/trading-bot/public-signals-latest", { query: { pair: "NO_PAIR" } });
  expect(none).toMatchObject({ count: 0, items: [] });
});

statusCase("GET /api/trading-bot/public-signals", 200, "returns signals, the newest first, in pages", async () => {
  const { body } = await call("GET /api/trading-bot/public-signals", { query: { limit: 3 } });
  const closes: string[] = body.items.map(({ candle_close_at }: any) => candle_close_at);
  expect(closes).toEqual(closes.toSorted().reverse());
  expect(body.next_cursor === null || body.count === 3).toBe(true);
});

statusCase("GET /api/trading-bot/signal-records", 200, "returns a record a market and strategy", async () => {
  const { body } = await call("GET /api/trading-bot/signal-records");
  for (const { resolved, skill, track_record: record } of body.items) {
    expect(record === null).toBe(resolved < 30);
    if (record === null) expect(skill).toBe("unproven");
  }
});
