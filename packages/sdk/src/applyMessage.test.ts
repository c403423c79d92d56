import type { IndexedCandle, IndexedToken, IndexedTokens, IndexedTrade, TokenDetail } from "@slipway/protocol/indexed";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Applied, applyMessage, type LiveView } from "./applyMessage.ts";
import type { LiveMessage } from "./resumeStream.ts";

const token = "0x00000000000000000000000000000000000000Aa";
const pageLimit = 5;

/** A block of the model's chain: its trades, and whether its fork differs from the previous block's. */
type Block = { number: number; trades: IndexedTrade[] };

/** A chain with an index that answers and publishes like the service. With `spread`, each trade has its own minute. */
class Index {
  blocks: Block[] = [];
  messages: LiveMessage[] = [];
  /** Counts transactions, so that a fork has different ones. */
  #sent = 0;

  #publish(message: { type: string; data: unknown }) {
    this.messages.push({ ...message, cursor: String(this.messages.length + 1) } as LiveMessage);
  }

  /** Mines a block with some trades, each at its own price. */
  mine(prices: number[]) {
    const number = (this.blocks.at(-1)?.number ?? 0) + 1;
    const trades = prices.map((price, log_index): IndexedTrade => {
      const tx_hash = `0x${(++this.#sent).toString(16).padStart(64, "0")}`;
      return {
        id: `${tx_hash}:${log_index}`,
        tx_hash,
        log_index,
        block_number: number,
        maker: token,
        recipient: token,
        account: token,
        account_source: "transfers",
        block_timestamp: new Date(number * 20_000).toISOString(),
        side: price % 2 === 0 ? "buy" : "sell",
        ...{
          token_amount: "1",
          quote_amount: "1",
          price_eth: null,
          price_eth_exact: null,
          price_usd: price,
          volume_usd: price,
        },
      };
    });
    this.blocks.push({ number, trades });
    for (const trade of trades) this.#publish({ type: "trade", data: { token, trade } });
    if (trades.length === 0) return;
    const candle = this.candles().at(-1)!;
    this.#publish({ type: "candle", data: { token, interval: "1m", quote: "usd", candle } });
  }

  /** Undoes the newest blocks. */
  undo(count: number) {
    const undone = this.blocks.splice(Math.max(0, this.blocks.length - count));
    if (undone.length === 0) return;
    const trades = undone.flatMap((block) => block.trades.map(({ id }) => id));
    const data = { above_block: undone[0]!.number - 1, trades, launches: [], tokens: trades.length > 0 ? [token] : [] };
    this.#publish({ type: "retracted", data });
  }

  trades(): IndexedTrade[] {
    return this.blocks.flatMap((block) => block.trades).toReversed();
  }

  candles(): IndexedCandle[] {
    const buckets = Map.groupBy(this.trades().toReversed(), ({ block_number }) => Math.floor(block_number / 3) * 60);
    return [...buckets].map(([t, trades]) => {
      const prices = trades.map((trade) => trade.price_usd!);
      return {
        t,
        o: prices[0]!,
        h: Math.max(...prices),
        l: Math.min(...prices),
        c: prices.at(-1)!,
        v: prices.reduce((a, b) => a + b),
        vq: 0,
        n: prices.length,
        buys: prices.length,
        sells: 0,
        traders: null,
      };
    });
  }

  token(): IndexedToken {
    const trades = this.trades();
    return {
      ...({ address: token, price_eth: null, market_cap_usd: null, fdv_usd: null } as IndexedToken),
      price_usd: trades[0]?.price_usd ?? 1,
      volume_24h_usd: trades.reduce((sum, trade) => sum + trade.volume_usd!, 0),
      price_change_24h_pct: null,
      buys_24h: trades.filter(({ side }) => side === "buy").length,
      sells_24h: trades.filter(({ side }) => side === "sell").length,
    };
  }

  newestBlock() {
    const newest = this.trades()[0];
    const finality = "soft" as const;
    return { block_number: newest?.block_number ?? 0, timestamp: newest?.block_timestamp ?? "never", finality };
  }

  /** The current answer of REST. */
  read(kind: Exclude<LiveView["kind"], "opening">): LiveView {
    const as_of = this.newestBlock();
    if (kind === "trades") {
      const items = this.trades().slice(0, pageLimit);
      const next_before = this.trades().length > pageLimit ? items.at(-1)!.id : null;
      return { kind, token, limit: pageLimit, data: { items, next_before } };
    }
    if (kind === "candles") {
      const all = this.candles();
      const items = all.slice(-pageLimit);
      const next_before = all.length > pageLimit ? items[0]!.t : null;
      return {
        kind,
        token,
        limit: pageLimit,
        data: { interval: "1m", items, price_usd_available: true, quote: "usd", next_before },
      };
    }
    const row = this.token();
    if (kind === "tokens") return { kind, data: { items: [row], total: 1, quote: "usd", as_of, next_cursor: null } };
    const window = { price_change_pct: null, volume_usd: row.volume_24h_usd, buys: row.buys_24h, sells: row.sells_24h };
    const windows = { m5: window, h1: window, h6: window, h24: window };
    return { kind, data: { ...row, trades: this.trades().slice(0, 50), windows, as_of } as TokenDetail };
  }
}

const apply = (view: LiveView, message: LiveMessage) => {
  const { data, refetch } = applyMessage(view, message) as Applied<never>;
  return { view: { ...view, data } as LiveView, refetch };
};

/** A step of the chain: a block with trades, or an undo of some blocks. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.integer({ min: 2, max: 99 }), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
);

const take = (index: Index, one: number[] | number) => (typeof one === "number" ? index.undo(one) : index.mine(one));

describe.each(["trades", "candles", "token", "tokens"] as const)("a view of %s", (kind) => {
  it("ends equal to REST, from any answer, with any repeated messages", () => {
    let exact = 0;
    const property = fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 5 }),
      (steps, readAfter, replayed, delay) => {
        const index = new Index();
        const at = steps.length === 0 ? 0 : readAfter % (steps.length + 1);
        for (const one of steps.slice(0, at)) take(index, one);
        let view = index.read(kind);
        let next = index.messages.length - (index.messages.length === 0 ? 0 : replayed % (index.messages.length + 1));
        let due: number | null = null;
        const deliver = () => {
          for (; next < index.messages.length; next++) {
            const applied = apply(view, index.messages[next]!);
            view = applied.view;
            if (applied.refetch === "now") due ??= delay;
          }
        };
        deliver();
        for (const one of steps.slice(at)) {
          take(index, one);
          deliver();
          // The answer of a refetch arrives some steps later.
          if (due !== null && due-- === 0) {
            view = index.read(kind);
            due = null;
          }
        }
        if (due === null) exact++;
        else view = index.read(kind);
        const { data } = index.read(kind);
        // A list keeps the `as_of` of its answer: it includes trades up to that block.
        expect(view.data).toEqual(kind === "tokens" ? { ...data, as_of: expect.anything() } : data);
      },
    );
    fc.assert(property, { numRuns: 500 });
    // Most histories need no refetch at their end.
    expect(exact).toBeGreaterThan(250);
  });

  it("is the same object after a message of another token, and is read again after a snapshot", () => {
    const index = new Index();
    index.mine([2, 3]);
    const view = index.read(kind);
    const other = "0x00000000000000000000000000000000000000bB";
    const trade = index.trades()[0]!;
    const candle = index.candles()[0]!;
    const strange: LiveMessage[] = [
      { type: "trade", cursor: "9", data: { token: other, trade: { ...trade, block_number: 99 } } },
      { type: "candle", cursor: "9", data: { token: other, interval: "1m", quote: "usd", candle } },
      { type: "retracted", cursor: "9", data: { above_block: 0, trades: [], launches: [], tokens: [other] } },
      { type: "signal", cursor: "9", data: {} as never },
    ];
    for (const message of strange) {
      const applied = applyMessage(view, message);
      expect(applied).toEqual({ data: view.data, refetch: null });
      expect(applied.data).toBe(view.data);
    }
    expect(applyMessage(view, { type: "snapshot", cursor: "9", data: { reason: "slow_reader" } }).refetch).toBe("now");
  });
});

test("candles of another currency are read again and never mixed", () => {
  const index = new Index();
  index.mine([2]);
  const view = index.read("candles");
  const candle = { ...index.candles()[0]!, t: 600 };
  const message: LiveMessage = { type: "candle", cursor: "9", data: { token, interval: "1m", quote: "eth", candle } };
  expect(applyMessage(view, message)).toEqual({ data: view.data, refetch: "now" });
});

test("an opening is read again after its changes, at once after their retraction, and not for other openings", () => {
  const view = { kind: "opening", opening: token, data: { items: [] } } as unknown as LiveView;
  const change = { opening: token.toLowerCase(), kind: "deposited" };
  const undone = { above_block: 1, trades: [], launches: [], tokens: [] };
  const apply = (type: string, data: object) => {
    const applied = applyMessage(view, { type, cursor: "9", data } as LiveMessage);
    expect(applied.data).toBe(view.data);
    return applied.refetch;
  };
  expect(apply("opening", change)).toBe("later");
  expect(apply("opening", { ...change, opening: `0x${"00".repeat(20)}` })).toBeNull();
  expect(apply("retracted", { ...undone, openings: [token] })).toBe("now");
  expect([apply("retracted", undone), apply("trade", { token })]).toEqual([null, null]);
  expect(apply("snapshot", { reason: "rebuilt" })).toBe("now");
});

test("a transaction that another block includes after a reorganisation moves there", () => {
  const index = new Index();
  index.mine([2]);
  index.mine([3]);
  const view = index.read("trades");
  const moved = { ...index.trades()[0]!, block_number: 7 };
  const { data } = applyMessage(view, { type: "trade", cursor: "9", data: { token, trade: moved } });
  expect(data).toEqual({ items: [moved, index.trades()[1]], next_before: null });
});

test("the price of a candle changes the figures derived from it, and unknown figures stay unknown", () => {
  const row = { ...new Index().token(), price_usd: 2, market_cap_usd: 10, fdv_usd: null, price_change_24h_pct: 100 };
  const as_of = { block_number: 0, timestamp: "", finality: "soft" as const };
  const data: IndexedTokens = { items: [row], total: 1, quote: "usd", as_of, next_cursor: null };
  const candle = { t: 0, o: 2, h: 3, l: 2, c: 3, v: 1, vq: 1, n: 1, buys: 1, sells: 0, traders: null };
  const message: LiveMessage = { type: "candle", cursor: "1", data: { token, interval: "1m", quote: "usd", candle } };
  const { data: after, refetch } = applyMessage({ kind: "tokens", data }, message);
  expect(refetch).toBe("later");
  expect((after as IndexedTokens).items[0]).toMatchObject({
    price_usd: 3,
    market_cap_usd: 15,
    fdv_usd: null,
    price_change_24h_pct: 200,
  });
  const window = { price_change_pct: 100, volume_usd: 1, buys: 1, sells: 0 };
  const unknown = { ...window, price_change_pct: null };
  const detail = { ...row, trades: [], windows: { m5: unknown, h1: window, h6: window, h24: window }, as_of };
  const ofDetail = applyMessage({ kind: "token", data: detail as unknown as TokenDetail }, message);
  expect((ofDetail.data as TokenDetail).windows).toEqual({
    m5: unknown,
    h1: { ...window, price_change_pct: 200 },
    h6: { ...window, price_change_pct: 200 },
    h24: { ...window, price_change_pct: 200 },
  });
});

describe("a trade that is older than the shown trades", () => {
  it("changes nothing in a list that is full", () => {
    const index = new Index();
    for (let block = 0; block < 60; block++) index.mine([block + 2]);
    for (const view of [index.read("token"), index.read("trades")]) {
      const old = index.trades()[55]!;
      const applied = applyMessage(view, { type: "trade", cursor: "9", data: { token, trade: old } });
      expect(applied.data).toBe(view.data);
      expect(applied.refetch).toBeNull();
    }
  });

  it("is inserted in order, and is not counted again in the figures of a newer answer", () => {
    const index = new Index();
    for (let block = 0; block < 3; block++) index.mine([block + 2]);
    const view = index.read("token");
    const [newest, missing, oldest] = index.trades();
    const data = { ...(view.data as TokenDetail), trades: [newest!, oldest!] };
    const message: LiveMessage = { type: "trade", cursor: "9", data: { token, trade: missing! } };
    expect(applyMessage({ kind: "token", data }, message)).toEqual({ data: view.data, refetch: null });
  });
});
