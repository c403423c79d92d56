import type { ServerMessage } from "@slipway/protocol/liveMessages";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, openLive } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const token = `0x${"ab".repeat(20)}`;
const other = `0x${"cd".repeat(20)}`;
const hour = 3_600;
const first = 1_790_000_000 - (1_790_000_000 % hour);

let service: LiveService;
let subscriber: SubscriberAccount;
beforeAll(async () => {
  service = await startLiveService();
  subscriber = await service.createSubscriber();
  await service.db.api.query(
    `insert into app.markets (pair, source, exchange, external_symbol, token) values
       ('BTC_USDT', 'exchange', 'binance', 'BTC/USDT', null), ('TABABABABAB_WETH', 'pool', null, null, $1),
       ('TCDCDCDCDCD_WETH', 'pool', null, null, $2)`,
    [token, other],
  );
});
afterAll(() => service?.close());

let said = 0;
/** Stores a live signal of a market like the worker. @returns its id. */
async function storeSignal(pair: string): Promise<string> {
  const id = `sg_${String(++said).padStart(24, "0")}`;
  await service.db.api.query(
    `insert into app.signals (id, market_id, pair, token, strategy, strategy_version, direction, origin, closed_at,
       generated_at, price, stop_loss, take_profit, cost, spread, impact, indicators, confidence)
     select $1, id, pair, token, 'rsi_reversion', 1, 'long', 'live', $2, $2, 100, 98, 103, 0.002, 0, 0,
       '{"rsi14":28.4}', 0.45
     from app.markets where pair = $3`,
    [id, first + said * hour, pair],
  );
  return id;
}

const getIds = (messages: readonly ServerMessage[]) =>
  messages.flatMap((message) => (message.type === "signal" ? [message.data.id] : []));

describe("C9-22 the channel signals", () => {
  it("C9-22 sends the signals of every market, or of the pools of the tokens that a subscription names", async () => {
    const server = await service.openServer();
    const everything = await openLive(server.url, bearer(subscriber.key));
    everything.send({ type: "subscribe_live", channels: ["signals"] });
    const narrowed = await openLive(server.url, bearer(subscriber.key));
    narrowed.send({ type: "subscribe_live", channels: ["signals", "trades"], tokens: [token] });
    const without = await openLive(server.url, bearer(subscriber.key));
    without.send({ type: "subscribe_live", channels: ["trades", "launches", "candles"] });
    for (const client of [everything, narrowed, without]) await client.until(({ length }) => length === 1);
    const ids = [
      await storeSignal("BTC_USDT"),
      await storeSignal("TABABABABAB_WETH"),
      await storeSignal("TCDCDCDCDCD_WETH"),
    ];
    await service.publishTrades(token, 1);
    await everything.until((messages) => getIds(messages).length === 3);
    await narrowed.until((messages) => messages.some(({ type }) => type === "trade"));
    await without.until((messages) => messages.some(({ type }) => type === "trade"));
    expect(getIds(everything.messages)).toEqual(ids);
    expect(getIds(narrowed.messages)).toEqual([ids[1]]);
    expect(getIds(without.messages)).toEqual([]);
    const signal = everything.messages.find(({ type }) => type === "signal");
    expect(signal).toMatchObject({
      data: { pair: "BTC_USDT", token: null, stale: false, confidence: 0.45, skill: "unproven", track_record: null },
    });
    await server.stop();
  });

  it("C9-22 a client that reconnects after a restart gets each signal emitted meanwhile once, on both streams", async () => {
    const before = await service.openServer();
    const client = await openLive(before.url, bearer(subscriber.key));
    client.send({ type: "subscribe_live", channels: ["signals"] });
    await client.until(({ length }) => length === 1);
    const seen = await storeSignal("BTC_USDT");
    await client.until((messages) => getIds(messages).length === 1);
    const last = client.messages.at(-1) as { cursor: string };
    await before.stop();
    await client.untilClosed();

    const missed = [await storeSignal("TABABABABAB_WETH"), await storeSignal("BTC_USDT")];
    const after = await service.openServer();
    const again = await openLive(after.url, bearer(subscriber.key));
    again.send({ type: "subscribe_live", channels: ["signals"], cursor: last.cursor });
    await again.until((messages) => getIds(messages).length === 2);
    const later = await storeSignal("BTC_USDT");
    await again.until((messages) => getIds(messages).length === 3);
    expect(getIds(again.messages)).toEqual([...missed, later]);
    expect(getIds(again.messages)).not.toContain(seen);

    const ended = new AbortController();
    const overEvents: string[] = [];
    const baseUrl = `${after.url}/api/v1/launchpad`;
    for await (const message of streamEvents({ baseUrl, cursor: last.cursor, signal: ended.signal })) {
      if (message.type === "signal") overEvents.push(message.data.id);
      if (overEvents.length === 3) break;
    }
    ended.abort();
    expect(overEvents).toEqual([...missed, later]);
    await after.stop();
  });
});
