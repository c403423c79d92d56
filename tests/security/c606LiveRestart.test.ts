import { connectLive } from "@slipway/sdk/connectLive";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { bearer, openLive, pollOptions } from "../support/security/liveClient.ts";
import { createRandom } from "../support/security/random.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";
import { getVolume } from "../support/volume.ts";

const clients = getVolume(600, "LIVE_CLIENTS", 6);
const token = `0x${"a".repeat(40)}`;

let service: LiveService;

beforeAll(async () => {
  service = await startLiveService();
});
afterAll(() => service?.close());

it(`C6-06 ${clients} clients come back after a restart: closed 1001, spread out, and nothing is missed`, async () => {
  const limits = { MAX_CONNECTIONS: "10000" };
  const server = await service.openServer(limits);
  const { port } = new URL(server.url);
  const { key } = await service.createSubscriber();
  const draws = createRandom(1);
  const random = () => draws.below(2 ** 32) / 2 ** 32;
  const ended = new AbortController();
  const codes: number[] = [];
  /** The times of first attempts, in milliseconds after the end of a connection, without the machine's own delays. */
  const due: number[] = [];

  const readers = Array.from({ length: clients }, () => {
    const cursors: number[] = [];
    const messages = connectLive({
      url: `${server.url.replace("http", "ws")}/ws`,
      channels: ["trades"],
      signal: ended.signal,
      random,
      webSocket: (url) => {
        const socket = new WebSocket(url, { headers: bearer(key) });
        // Includes rejected attempts: none arrives while the server is down.
        socket.on("close", (code) => codes.push(code));
        return socket;
      },
      onRetry: ({ attempt, delayMs }) => {
        if (attempt === 1) due.push(delayMs);
      },
    });
    const listening = (async () => {
      for await (const { cursor } of messages) cursors.push(Number(cursor));
    })();
    return { cursors, listening };
  });

  const published: number[] = [];
  // All are subscribed when all have received the same last trade; some received earlier trades.
  await vi.waitFor(async () => {
    published.push(...(await service.publishTrades(token, 1)));
    expect(readers.filter(({ cursors }) => cursors.length > 0)).toHaveLength(clients);
  }, pollOptions);
  const common = published.at(-1)!;
  await vi.waitFor(() => expect(readers.every(({ cursors }) => cursors.includes(common))).toBe(true), pollOptions);
  codes.length = 0;
  due.length = 0;

  // A client that does not answer the close does not prevent the server from stopping.
  const deaf = await openLive(server.url, bearer(key));
  deaf.ws.pause();
  await server.stop();
  expect(codes.filter((code) => code === 1001)).toHaveLength(clients);
  published.push(...(await service.publishTrades(token, 5)));
  await service.openServer({ ...limits, PORT: port });
  const last = (await service.publishTrades(token, 1))[0]!;
  published.push(last);
  await vi.waitFor(() => expect(readers.every(({ cursors }) => cursors.at(-1) === last)).toBe(true), pollOptions);
  for (const { cursors } of readers) expect(cursors).toEqual(published.slice(published.indexOf(cursors[0]!)));

  // No thundering herd: in each tenth of the spread time, at most three times the mean number of first attempts.
  expect(due).toHaveLength(clients);
  const first = due.sort((a, b) => a - b);
  const parts = 10;
  const width = first.at(-1)! / parts;
  const counts = Array.from(
    { length: parts },
    (_, part) => first.filter((at) => Math.min(parts - 1, Math.floor(at / width)) === part).length,
  );
  process.stdout.write(`C6-06: ${clients} clients over ${first.at(-1)!.toFixed(0)} ms: ${counts.join(" ")}\n`);
  expect(width * parts).toBeGreaterThan(1_000);
  expect(Math.max(...counts)).toBeLessThan((3 * clients) / parts);
  deaf.ws.terminate();
  ended.abort();
  await Promise.all(readers.map(({ listening }) => listening));
});
