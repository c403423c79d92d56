import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { candleEvent, launchEvent, retractedEvent, snapshotEvent, tradeEvent } from "@slipway/protocol/liveEvents";
import { checksummed } from "@slipway/protocol/primitives";
import { expect, onTestFinished, test } from "vitest";
import { insertOpening } from "../../../../../tests/support/server/insertOpening.ts";
import {
  headTime,
  insert,
  insertIndex,
  insertToken,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const [token, other] = [toAddress(1_001), toAddress(1_002)];

type Message = { id: string; event: string; data: any };

async function serve() {
  const { app, deps } = fixture.read;
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    deps.liveFeed.end();
    await app.close();
  });
  return (app.server.address() as AddressInfo).port;
}

/** Opens a stream and collects its messages. */
async function read(port: number, query = "", headers: Record<string, string> = {}) {
  const request = get({ port, path: `/api/v1/launchpad/stream${query}`, headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const messages: Message[] = [];
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop()!;
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      if (fields.event) messages.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
    }
  });
  answer.on("error", () => undefined);
  const reader = {
    status: answer.statusCode,
    headers: answer.headers,
    messages,
    ended: () => answer.readableEnded,
    received: async (count: number) => {
      for (let n = 0; messages.length < count; n++) {
        if (n > 12_000) throw new Error(`received ${JSON.stringify(messages)}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return messages;
    },
    close: () => {
      request.destroy();
    },
  };
  onTestFinished(() => {
    reader.close();
  });
  if (reader.status === 200) await reader.received(1);
  return reader;
}

const trade = (n: number) => ({
  ...{
    address: token,
    token_id: 1,
    block_number: n,
    log_index: 1,
    block_time: headTime,
    pool_price: 0.25,
    eth_usd: 2_000,
  },
  ...{ maker: toAddress(1), recipient: toAddress(2), is_buy: true, tx_hash: toHash(n) },
  ...{ token_amount: "2000000000000000000", quote_amount: "500000000000000000" },
});

const candle = (seconds: number, usd: number | null) => ({
  ...{
    address: token,
    token_id: 1,
    seconds,
    t: headTime,
    o: 1,
    h: 3,
    l: 0.5,
    c: 2,
    n: 3,
    buys: 2,
    vq: "1000000000000000000",
  },
  ...{ o_usd: usd, h_usd: usd, l_usd: usd, c_usd: usd, v: usd === null ? null : "5000000" },
});

let nextId = 100;
async function publish(kind: string, address: string | null, payload: object): Promise<number> {
  const id = nextId++;
  const values = { id, block_number: 1, kind, token: address, payload: JSON.stringify(payload) };
  await insert(fixture.database.db, "chain.outbox", values);
  await fixture.database.db.indexer.query("select pg_notify('slipway_outbox', '1')");
  return id;
}

test("the stream sends launches, trades, candles of the interval and retractions, each with its cursor", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const reader = await read(port);
  expect(reader.headers["content-type"]).toMatch(/^text\/event-stream/);
  expect(reader.headers["cache-control"]).toBe("no-store");
  expect(reader.messages[0]).toMatchObject({ event: "ready", data: { cursor: "0" } });
  const launch = {
    ...{ address: token, name: "Tin Boat", symbol: "TIN", image: null, pool: toAddress(5), quote_token: wrappedNative },
    ...{ creator: toAddress(6), splitter: toAddress(7), fee_bps: 100, start_price: 1e-9, initial_buy_in: "7" },
    ...{ initial_buy_out: "8", block_time: headTime, block_number: 5, tx_hash: toHash(9) },
    ...{ id: 1, deployment_id: 1, is_token0: true, description: null, website: null, partner: null },
    ...{ partner_share_bps: 0, protocol_fee_bps: 30, tick_start: 0, tick_lower: 0, tick_upper: 200, log_index: 1 },
    ...{ locked_liquidity: "1", start_eth_usd: null, initial_buy_recipient: toAddress(6) },
  };
  const ids = [
    await publish("launch", token, launch),
    await publish("trade", token, trade(6)),
    await publish("candle", token, candle(60, 10)),
  ];
  await publish("candle", token, candle(3_600, 10));
  await publish("state", null, { tokens: [token] });
  await publish("eth_usd", null, { price: 1, block_number: 1, block_time: headTime });
  ids.push(await publish("candle", token, candle(60, null)));
  ids.push(
    await publish("retracted", null, { above_block: 5, trades: [`${toHash(6)}:1`], launches: [], tokens: [token] }),
  );
  ids.push(await publish("batch", null, { from_block: 1, to_block: 2 }));
  const messages = (await reader.received(7)).slice(1);
  expect(messages.map((message) => message.event)).toEqual([
    "launch",
    "trade",
    "candle",
    "candle",
    "retracted",
    "snapshot",
  ]);
  expect(messages.map((message) => Number(message.id))).toEqual(ids);
  const schemas = [launchEvent, tradeEvent, candleEvent, candleEvent, retractedEvent, snapshotEvent];
  for (const [index, schema] of schemas.entries())
    expect(schema.parse(messages[index]!.data)).toEqual(messages[index]!.data);
  expect(messages[0]!.data).toMatchObject({ name: "Tin Boat", initial_buy: { quote_amount: "7", token_amount: "8" } });
  expect(messages[1]!.data.trade).toMatchObject({
    id: `${toHash(6)}:1`,
    price_eth: 0.25,
    price_usd: 500,
    volume_usd: 1_000,
  });
  expect(messages[2]!.data).toMatchObject({
    token: checksummed(token),
    interval: "1m",
    quote: "usd",
    candle: { c: 10, v: 5 },
  });
  expect(messages[3]!.data).toMatchObject({ quote: "eth", candle: { c: 2, v: null } });
});

test("the stream refuses a token without a launch, except for a reader that resumes", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const refused = await fetch(`http://127.0.0.1:${port}/api/v1/launchpad/stream?token=${token}`);
  const { error } = (await refused.json()) as { error: { code: string; field: string; message: string } };
  expect([refused.status, error.code, error.field]).toEqual([404, "token_not_indexed", "token"]);
  expect(error.message).toContain("No token with this address is indexed");
  // The launch was undone while the reader was disconnected: the reader has not received the retraction.
  const id = await publish("trade", other, { ...trade(1), address: other });
  await publish("retracted", null, { above_block: 1, trades: [], launches: [token], tokens: [token] });
  const reader = await read(port, `?token=${token}`, { "last-event-id": String(id) });
  expect((await reader.received(2))[1]!.event).toBe("retracted");
});

test("the stream filters by a token address in any case and by interval", async () => {
  await insertIndex(fixture.database.db);
  await insertToken(fixture.database.db, 1);
  const port = await serve();
  const reader = await read(port, `?token=${token.toUpperCase().replace("0X", "0x")}&interval=1h`);
  await publish("trade", other, { ...trade(1), address: other });
  await publish("candle", token, candle(60, 10));
  await publish("retracted", null, { above_block: 5, trades: [], launches: [], tokens: [other] });
  await publish("candle", token, candle(3_600, 10));
  await publish("trade", token, trade(2));
  const messages = await reader.received(3);
  expect(messages.map((message) => message.event)).toEqual(["ready", "candle", "trade"]);
});

test("the stream of an opening has its changes, and the retractions that affect it", async () => {
  await insertIndex(fixture.database.db);
  const opening = await insertOpening(fixture.database.db, 1);
  const reader = await read(await serve(), `?token=${opening}`);
  const change = {
    kind: "deposited",
    opening,
    token: null,
    account: toAddress(6),
    native_amount: "7",
    token_amount: null,
    total: "7",
    block_number: 2,
    log_index: 0,
    tx_hash: toHash(8),
  };
  await publish("opening", null, { ...change, opening: toAddress(2_002) });
  await publish("opening", null, change);
  const undone = { above_block: 1, trades: [], launches: [], tokens: [] };
  await publish("retracted", null, { ...undone, openings: [toAddress(2_002)] });
  await publish("retracted", null, { ...undone, openings: [opening] });
  const messages = (await reader.received(3)).slice(1);
  expect(messages).toMatchObject([
    { event: "opening", data: { opening: checksummed(opening), kind: "deposited", native_amount: "7" } },
    { event: "retracted", data: { openings: [checksummed(opening)] } },
  ]);
});

test("C6-05 a reader that reconnects misses no message and gets none twice, including retractions", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const first = await read(port);
  await publish("trade", token, trade(1));
  const seen = await first.received(2);
  first.close();
  const missed = [
    await publish("trade", token, trade(2)),
    await publish("retracted", null, { above_block: 1, trades: [], launches: [], tokens: [token] }),
  ];
  const second = await read(port, "", { "last-event-id": seen.at(-1)!.id });
  missed.push(await publish("trade", token, trade(3)));
  const messages = (await second.received(4)).slice(1);
  expect(messages.map((message) => Number(message.id))).toEqual(missed);
  // A reader without messages resumes from the cursor of `ready`.
  const third = await read(port, "", { "last-event-id": second.messages[0]!.id });
  expect((await third.received(4)).slice(1).map((message) => message.id)).toEqual(
    messages.map((message) => message.id),
  );
});

test("the stream refuses a cursor that is expired, not yet issued or malformed", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const ids = [await publish("trade", token, trade(1)), await publish("trade", token, trade(2))];
  for (const [id, status] of [
    [String(ids[0]! - 2), 400],
    [String(ids[1]! + 1), 400],
    ["x", 400],
    ["-1", 400],
    [String(ids[0]! - 1), 200],
  ] as const) {
    expect([id, (await read(port, "", { "last-event-id": id })).status]).toEqual([id, status]);
  }
  for (const query of ["?token=0x12", "?interval=2m"]) expect((await read(port, query)).status).toBe(400);
});

test("the stream answers 503 while the index is not live", async () => {
  await insertIndex(fixture.database.db, { state: "halted" });
  expect((await read(await serve())).status).toBe(503);
});

test("C6-02 a slow reader gets a snapshot message instead of an unbounded queue", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const start = await publish("trade", token, trade(1));
  const { deps } = fixture.read;
  const feed = deps.liveFeed;
  const reader = await read(port);
  await fixture.database.db.indexer.query(
    'insert into chain.outbox (id, block_number, kind, payload) overriding system value values ($1, 1, \'eth_usd\', \'{"price":1,"block_number":1,"block_time":1}\')',
    [start + 60_000],
  );
  await fixture.database.db.indexer.query("select pg_notify('slipway_outbox', '1')");
  for (let n = 0; feed.newest() < start + 60_000 && n < 12_000; n++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const late = await read(port, "", { "last-event-id": String(start) });
  const messages = await late.received(2);
  expect(messages[1]).toMatchObject({
    event: "snapshot",
    data: { reason: "slow_reader", cursor: String(start + 60_000) },
  });
  nextId = start + 60_001;
  await publish("trade", token, trade(2));
  expect((await late.received(3))[2]!.event).toBe("trade");
  expect((await reader.received(2)).length).toBeGreaterThan(1);
});

test("the feed ends its streams when the server closes, and stops polling when the last reader leaves", async () => {
  await insertIndex(fixture.database.db);
  const port = await serve();
  const [a, b] = [await read(port), await read(port)];
  const listening = async () =>
    (
      await fixture.database.db.indexer.query(
        "select 1 from pg_stat_activity where query = 'listen slipway_outbox' and datname = current_database()",
      )
    ).rowCount;
  const until = async (check: () => Promise<boolean> | boolean) => {
    for (let n = 0; !(await check()); n++) {
      if (n > 12_000) throw new Error("the condition did not become true");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await until(async () => (await listening()) === 1);
  a.close();
  b.close();
  await until(async () => (await listening()) === 0);
  const c = await read(port);
  fixture.read.deps.liveFeed.end();
  await until(() => c.ended());
});

test("the stream answers HEAD without a body", async () => {
  await insertIndex(fixture.database.db);
  const request = get({ port: await serve(), path: "/api/v1/launchpad/stream", method: "HEAD" });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  await once(answer, "end");
});
