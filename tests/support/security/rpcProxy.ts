import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Call = { id: unknown; method: string; params?: unknown[] };

/** An RPC proxy in front of the stack's endpoint, with which a test can count, change and break requests. */
export type RpcProxy = {
  url: string;
  /** The number of HTTP requests so far, whatever the number of calls in each. */
  roundTrips(): number;
  /** The number of sequential rounds so far: requests sent without waiting for each other's answers are one round. */
  rounds(): number;
  /** The milliseconds in which at least one request waited for its answer, with this proxy's own work. */
  busyMs(): number;
  methods(): string[];
  reset(): void;
  /**
   * Answers a call in place of the chain: `{ result }` or `{ error }`; undefined returns `real`, the chain's response.
   */
  answerWith(answer: (call: Call, real: object) => object | undefined): void;
  /** Changes calls before they reach the chain. */
  rewriteCalls(rewrite: (call: Call) => Call): void;
  /** Runs before the requests of a round are passed on; null for nothing. */
  beforeRound(work: ((round: number) => Promise<unknown>) | null): void;
  /** Delays every answer, like a distant endpoint. */
  setDelay(ms: number): void;
  /** While down, every connection gets HTTP 502. */
  setDown(down: boolean): void;
  close(): Promise<void>;
};

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let requests = 0;
  // The longest sequence of answered requests in which each was sent after the answer to the previous one.
  let answeredRounds = 0;
  let rounds = 0;
  let waiting = 0;
  let busySince = 0;
  let busyMs = 0;
  let delayMs = 0;
  let before: ((round: number) => Promise<unknown>) | null = null;
  let isDown = false;
  let seen: string[] = [];
  let rewrite: (call: Call) => Call = (call) => call;
  let override: (call: Call, real: object) => object | undefined = () => undefined;

  const answer = async (text: string): Promise<string> => {
    const parsed = JSON.parse(text) as Call | Call[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    seen.push(...calls.map(({ method }) => method));
    const response = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Array.isArray(parsed) ? calls.map(rewrite) : rewrite(parsed)),
    });
    const real = (await response.json()) as object | object[];
    const answers = (Array.isArray(real) ? real : [real]).map((found) => {
      const call = calls.find(({ id }) => id === (found as { id: unknown }).id)!;
      const instead = override(call, found);
      return instead ? { jsonrpc: "2.0", id: call.id, ...instead } : found;
    });
    return JSON.stringify(Array.isArray(real) ? answers : answers[0]);
  };

  // No idle connection is closed while a busy worker sends a request over it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    if (waiting++ === 0) busySince = performance.now();
    response.on("close", () => {
      if (--waiting === 0) busyMs += performance.now() - busySince;
    });
    const respond = async () => {
      requests++;
      const round = answeredRounds + 1;
      rounds = Math.max(rounds, round);
      if (delayMs > 0) await sleep(delayMs);
      await before?.(round);
      if (isDown) return response.writeHead(502).end("down");
      response.setHeader("content-type", "application/json");
      const text = await answer(Buffer.concat(chunks).toString("utf8"));
      answeredRounds = Math.max(answeredRounds, round);
      return response.end(text);
    };
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void respond().catch(() => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    roundTrips: () => requests,
    rounds: () => rounds,
    busyMs: () => busyMs,
    methods: () => seen,
    reset: () => {
      requests = 0;
      answeredRounds = 0;
      rounds = 0;
      busyMs = 0;
      seen = [];
    },
    answerWith: (next) => {
      override = next;
    },
    rewriteCalls: (next) => {
      rewrite = next;
    },
    beforeRound: (work) => {
      before = work;
    },
    setDelay: (ms) => {
      delayMs = ms;
    },
    setDown: (down) => {
      isDown = down;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
