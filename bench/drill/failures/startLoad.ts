import { setTimeout as sleep } from "node:timers/promises";
import { connectLive } from "@slipway/sdk/connectLive";

import { type LiveMessage, streamEvents } from "@slipway/sdk/streamEvents";
import type { Clients } from "./createClients.ts";

/** A stream that a client follows through the load balancers. */
export type FollowedStream = {
  name: string;
  /** Whether it has been open: then it receives every later message. */
  isOpen: boolean;
  /** The times of the messages of trades. */
  receivedAtMs: number[];
  /** The number of messages of each trade, by transaction. */
  trades: Map<string, number>;
  /** The time from a block to the first message of its trade, by transaction; missing if the receipt came later. */
  lagMs: Map<string, number>;
  /** The number of messages that report missing messages. */
  snapshots: number;
};

export type Load = {
  streams: FollowedStream[];
  /** The ids of acknowledged drafts, by idempotency key. */
  drafts: Map<string, string>;
  /** Answers with 200 that lack a trade which an answer or a stream has shown before, and other contradictions. */
  contradictions: { atMs: number; text: string }[];
  /** Ends reads and writes; streams stay. */
  stopRequests(): Promise<void>;
  stopStreams(): Promise<void>;
};

type Resume = { signal: AbortSignal; onCursor: () => void };

/** An API process applies a change within this time after another process has shown it. */
const knownAfterMs = 2_000;
const readsPerClient = { pauseMs: 100, count: 4 };
const writers = { pauseMs: 300, count: 2 };
/** How long a writer repeats one write. */
const giveUpMs = 60_000;
/** The trades of one page. An older trade need not be in an answer. */
const pageSize = 100;

/** Starts readers, writers, and two streams of each kind. */
export function startLoad(options: {
  clients: Clients;
  balancerUrls: readonly string[];
  /** The keys of the accounts that write drafts in turn. The first one opens the streams. */
  apiKeys: readonly string[];
  token: string;
  chainId: number;
  wallet: string;
  /** See `Trader`. */
  minedAtMs: ReadonlyMap<string, number>;
  /** 1: the whole load; 0.5: half as many requests. */
  share: number;
  /** Ends the repeats of writes. */
  signal: AbortSignal;
}): Load {
  const { clients, token, apiKeys } = options;
  const api = "/api/v1/launchpad";
  const stopped = { requests: false };
  const contradictions: Load["contradictions"] = [];
  const contradict = (text: string) => contradictions.push({ atMs: clients.now(), text });
  /** The time at which a client saw a trade first, by transaction, in the order of the chain. */
  const shownAtMs = new Map<string, number>();

  const readTrades = async () => {
    const startedAtMs = clients.now();
    const answer = await clients.send("read", `${api}/tokens/${token}/trades?limit=${pageSize}`);
    if (answer?.status !== 200) return;
    const page = new Set<string>(answer.body.items.map(({ tx_hash }: { tx_hash: string }) => tx_hash));
    if (page.size !== answer.body.items.length) contradict("a page contains a trade twice");
    const missing = [...shownAtMs]
      .slice(-pageSize / 2)
      .filter(([hash, atMs]) => atMs < startedAtMs - knownAfterMs && !page.has(hash));
    if (missing.length > 0) {
      const ageMs = Math.round(startedAtMs - missing[0]![1]);
      contradict(`an answer lacks ${missing.length} trades, one of which was shown ${ageMs} ms before`);
    }
    for (const hash of [...page].reverse()) if (!shownAtMs.has(hash)) shownAtMs.set(hash, clients.now());
  };
  let reads = 0;
  const read = async () => {
    while (!stopped.requests) {
      // Every other read is in no cache.
      if (reads++ % 2 === 0) await readTrades();
      else await clients.send("read", `${api}/tokens?q=nothing${reads}`);
      await sleep(readsPerClient.pauseMs / options.share);
    }
  };

  const drafts = new Map<string, string>();
  let attempts = 0;
  const write = async () => {
    while (!stopped.requests) {
      attempts++;
      const key = crypto.randomUUID();
      const body = JSON.stringify({
        name: `Draft ${attempts}`,
        symbol: "DRILL",
        image_uri: "ipfs://bafy",
        chain_id: options.chainId,
        recipients: [{ provider: "wallet", wallet: options.wallet, share_bps: 10_000 }],
      });
      const headers = {
        authorization: `Bearer ${apiKeys[attempts % apiKeys.length]}`,
        "content-type": "application/json",
        "idempotency-key": key,
      };
      // A careful client repeats a write with its key until it is acknowledged.
      const deadlineMs = clients.now() + giveUpMs;
      while (!drafts.has(key) && clients.now() < deadlineMs && !options.signal.aborted) {
        const answer = await clients.send("write", `${api}/intents`, { method: "POST", headers, body });
        if (answer !== null && answer.status < 300) drafts.set(key, answer.body.id);
        await sleep(writers.pauseMs / options.share);
      }
    }
  };

  const ended = new AbortController();
  const { signal } = ended;
  const follow = (name: string, open: (resume: Resume) => AsyncGenerator<LiveMessage>) => {
    const stream: FollowedStream = {
      name,
      isOpen: false,
      receivedAtMs: [],
      trades: new Map(),
      lagMs: new Map(),
      snapshots: 0,
    };
    const onCursor = () => {
      stream.isOpen = true;
    };
    const run = async () => {
      for await (const message of open({ signal, onCursor })) {
        if (message.type === "snapshot") stream.snapshots++;
        if (message.type !== "trade") continue;
        const hash = message.data.trade.tx_hash;
        stream.receivedAtMs.push(clients.now());
        const minedAtMs = options.minedAtMs.get(hash);
        if (minedAtMs !== undefined && !stream.lagMs.has(hash)) stream.lagMs.set(hash, clients.now() - minedAtMs);
        stream.trades.set(hash, (stream.trades.get(hash) ?? 0) + 1);
        if (!shownAtMs.has(hash)) shownAtMs.set(hash, clients.now());
      }
    };
    const running = run().catch((error) => {
      if (!signal.aborted) contradict(`${name} ended: ${(error as Error).message}`);
    });
    return { stream, running };
  };
  let opened = 0;
  const openSocket = (url: string) => {
    const { pathname } = new URL(url);
    // The next attempt uses the other balancer.
    const host = options.balancerUrls[opened++ % options.balancerUrls.length]!.replace("http", "ws");
    return new WebSocket(`${host}${pathname}`, { headers: { authorization: `Bearer ${apiKeys[0]}` } } as never);
  };
  const followed = [
    ...["SSE 1", "SSE 2"].map((name) =>
      follow(name, (resume) => streamEvents({ ...resume, baseUrl: `http://any${api}`, token, fetch: clients.fetch })),
    ),
    ...["WebSocket 1", "WebSocket 2"].map((name) =>
      follow(name, (resume) =>
        connectLive({
          ...resume,
          url: "ws://any/ws",
          apiKey: apiKeys[0]!,
          channels: ["trades"],
          tokens: [token],
          webSocket: openSocket,
        }),
      ),
    ),
  ];

  const requests = [
    ...Array.from({ length: readsPerClient.count }, read),
    ...Array.from({ length: writers.count }, write),
  ];
  return {
    streams: followed.map(({ stream }) => stream),
    drafts,
    contradictions,
    stopRequests: async () => {
      stopped.requests = true;
      await Promise.all(requests);
    },
    stopStreams: async () => {
      ended.abort();
      await Promise.all(followed.map(({ running }) => running));
    },
  };
}
