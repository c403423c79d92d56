import { reorganise } from "@slipway/dev/chain/reorganise";
import type { ServerMessage } from "@slipway/protocol/liveMessages";
import { connectLive } from "@slipway/sdk/connectLive";
import type { LiveMessage } from "@slipway/sdk/streamEvents";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { startPlan } from "@slipway/server/accounts/plans";
import { parseConfig } from "@slipway/server/config";
import { createLog } from "@slipway/server/log";
import { type RunningServer, startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { launchToken, trade, wallets, wrap } from "../support/security/actors.ts";
import { bearer, openLive, pollOptions } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const oneTenth = (10n ** 17n).toString();
const getCursor = (message: ServerMessage) => ("cursor" in message ? Number(message.cursor) : 0);

describe("C6-05 over a real chain", () => {
  let stack: TestStack;
  let server: RunningServer;

  beforeAll(async () => {
    stack = await startTestStack({ heartbeatMs: 0 });
    const { DATABASE_URL, RPC_URL, MANIFEST_PATH, MANIFEST_SHA256 } = stack.deps.config;
    const config = parseConfig({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      PORT: "0",
      ROLES: "api",
      DATABASE_URL,
      RPC_URL: RPC_URL.join(),
      MANIFEST_PATH,
      MANIFEST_SHA256,
    });
    server = await startServer({ config, log: createLog(config), clock: systemClock });
    await startPlan(stack.deps.db.indexer, stack.account.id, "subscriber");
  });
  afterAll(async () => {
    await server?.stop();
    await stack?.close();
  });

  it("C6-05 sends a client that reconnects everything it missed, once, and what a reorganisation retracted", async () => {
    const [creator, trader] = wallets;
    const { token } = await launchToken(stack, creator!);
    await wrap(stack, trader!, 10n ** 18n);
    const buy = () => trade(stack, trader!, { token, side: "buy", amount_in: oneTenth });
    const newest = async () => {
      const { rows } = await stack.deps.db.read.query<{ id: number }>("select max(id) as id from chain.outbox");
      return rows[0]!.id;
    };
    const subscribe = { type: "subscribe_live", channels: ["launches", "trades", "candles"] };
    const isTrade = (message: ServerMessage) => message.type === "trade";

    const first = await openLive(server.url!, bearer(stack.account.key));
    first.send(subscribe);
    await first.until((messages) => messages.length === 1);
    const { receipt: kept } = await buy();
    await first.until((messages) => messages.some(isTrade));
    first.ws.terminate();
    // Until then, messages that have already arrived are delivered.
    await first.untilClosed();
    const cursor = String(Math.max(...first.messages.map(getCursor)));

    // While the client is away: a trade that is reorganised away, and one that stays.
    const { receipt: dropped } = await buy();
    const at = await newest();
    await vi.waitFor(async () => expect(await newest()).toBeGreaterThan(Number(cursor)), pollOptions);
    await vi.waitFor(async () => expect(await getTrades(token)).toHaveLength(2), pollOptions);
    await reorganise(stack.chain.rpcUrl);
    await vi.waitFor(async () => expect(await newest()).toBeGreaterThan(at), pollOptions);
    await vi.waitFor(async () => expect(await getTrades(token)).toHaveLength(1), pollOptions);

    const second = await openLive(server.url!, bearer(stack.account.key));
    second.send({ ...subscribe, cursor });
    const { receipt: last } = await buy();
    await second.until((messages) =>
      messages.some((message) => message.type === "trade" && message.data.trade.tx_hash === last.transactionHash),
    );

    // Both together must have every outbox row that is a message for the client, in order, exactly once.
    await vi.waitFor(async () => {
      const { rows } = await stack.deps.db.read.query<{ id: number }>(
        `select id from chain.outbox where id > (select $1::bigint)
           and (kind in ('launch', 'trade', 'retracted') or (kind = 'candle' and payload->>'seconds' = '60')) order by id`,
        [getCursor(first.messages[0]!)],
      );
      const received = [...first.messages, ...second.messages]
        .filter(({ type }) => ["launch", "trade", "candle", "retracted"].includes(type))
        .map(getCursor);
      expect(received).toEqual(rows.map(({ id }) => Number(id)));
    }, pollOptions);
    const believed = new Set<string>();
    for (const message of [...first.messages, ...second.messages]) {
      if (message.type === "trade") believed.add(message.data.trade.id);
      if (message.type === "retracted") for (const id of message.data.trades) believed.delete(id);
    }
    expect(second.messages.some(({ type }) => type === "retracted")).toBe(true);
    const hashes = second.messages.filter(isTrade).map((message) => (message as { data: any }).data.trade.tx_hash);
    expect(hashes).toEqual([dropped.transactionHash, last.transactionHash]);
    expect([...believed].sort()).toEqual((await getTrades(token)).map(({ id }) => id).sort());
    expect([...believed].map((id) => id.split(":")[0])).toEqual([kept.transactionHash, last.transactionHash]);
    second.ws.terminate();
  });

  async function getTrades(token: string): Promise<{ id: string }[]> {
    const answer = await fetch(`${server.url}/api/v1/launchpad/tokens/${token}/trades`);
    return ((await answer.json()) as { items: { id: string }[] }).items;
  }
});

describe("C6-05 with the SDK", () => {
  let service: LiveService;
  const token = `0x${"a".repeat(40)}`;

  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(() => service?.close());

  const listen = async (stream: AsyncIterable<LiveMessage>, into: number[]) => {
    for await (const message of stream) into.push(Number(message.cursor));
  };

  it("C6-05 both clients receive everything once over connections that are cut again and again", async () => {
    const server = await service.openServer();
    const { key } = await service.createSubscriber();
    const ended = new AbortController();
    const sockets = new Set<WebSocket>();
    const answers = new Set<AbortController>();
    const overWebSocket: number[] = [];
    const overEvents: number[] = [];
    let retries = 0;
    const patient = { cursor: "0", signal: ended.signal, random: () => 0, onRetry: () => retries++ };
    const url = `${server.url.replace("http", "ws")}/ws`;
    // A first row, after the cursor 0.
    const published = await service.publishTrades(token, 1);
    const listening = [
      listen(
        connectLive({
          ...patient,
          url,
          channels: ["trades"],
          tokens: [token],
          webSocket: (address) => {
            const socket = new WebSocket(address, { headers: bearer(key) });
            sockets.add(socket);
            return socket;
          },
        }),
        overWebSocket,
      ),
      listen(
        streamEvents({
          ...patient,
          baseUrl: `${server.url}/api/v1/launchpad`,
          token,
          fetch: async (input, init) => {
            const cut = new AbortController();
            answers.add(cut);
            return await fetch(input, { ...init, signal: AbortSignal.any([cut.signal, init!.signal!]) });
          },
        }),
        overEvents,
      ),
    ];
    for (let n = 0; n < 20; n++) {
      published.push(...(await service.publishTrades(token, 7)));
      // Cuts all connections in any state: opening, subscribing, reading.
      for (const socket of sockets) socket.terminate();
      for (const answer of answers) answer.abort(new Error("cut"));
      sockets.clear();
      answers.clear();
      published.push(...(await service.publishTrades(token, 3)));
    }
    await vi.waitFor(
      () => expect([overWebSocket.at(-1), overEvents.at(-1)]).toEqual([published.at(-1), published.at(-1)]),
      pollOptions,
    );
    expect(overWebSocket).toEqual(published);
    expect(overEvents).toEqual(published);
    expect(retries).toBeGreaterThan(2);
    ended.abort();
    await Promise.all(listening);
  });
});
