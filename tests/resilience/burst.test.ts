import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { wallets } from "../support/security/actors.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { startTestStack } from "../support/security/startTestStack.ts";

/** The guards of a production server; their limits allow a burst of 200 writes by one key. */
const production = { RATE_LIMIT_STORE_TIMEOUT_MS: "", MAX_HEAP_BYTES: "", MAX_EVENT_LOOP_DELAY_MS: "" };
const burst = 200;
/** Bounds only a hang: the server gets a small part of a busy machine. */
const timeout = 600_000;

let servers: ApiServers;
const busy: ChildProcess[] = [];

beforeAll(async () => {
  servers = await openApiServers();
});
afterEach(async () => {
  await Promise.all(busy.splice(0).map(endProcess));
});
afterAll(() => servers?.close());

async function endProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Occupies both cores, and leaves the rest to the server. */
function occupyMachine(server?: ApiServer): void {
  for (let program = 0; program < 2; program++) {
    busy.push(spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }));
  }
  if (server) setPriority(server.pid, 5);
}

type Stored = { status: number; id: string | undefined };

async function store(server: ApiServer, apiKey: string, idempotencyKey: string): Promise<Stored> {
  const response = await fetch(`${server.base}/intents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify({
      name: "Kite",
      symbol: "KITE",
      image_uri: "https://example.com/kite.png",
      chain_id: 46630,
      recipients: [{ provider: "wallet", wallet: `0x${"ab".repeat(20)}`, share_bps: 10_000 }],
    }),
  });
  const { id } = (await response.json()) as { id?: string };
  return { status: response.status, id };
}

/** Checks that one request of each key has stored its draft, and that all others of the key returned that draft. */
async function expectStoredOnce(accountId: string, answers: { key: string; stored: Stored }[]): Promise<void> {
  const statuses = new Map<number, number>();
  for (const { stored } of answers) statuses.set(stored.status, (statuses.get(stored.status) ?? 0) + 1);
  const { rows } = await servers.pool.query<{ id: string; idempotency_key: string }>(
    "select id, idempotency_key from app.intents where account_id = $1",
    [accountId],
  );
  const ids = new Map(rows.map((row) => [row.idempotency_key, row.id]));
  const keys = new Set(answers.map(({ key }) => key));
  const repeated = answers.length - keys.size;
  expect(Object.fromEntries(statuses)).toEqual({ 201: keys.size, ...(repeated > 0 && { 200: repeated }) });
  expect(new Set(ids.keys())).toEqual(keys);
  for (const { key, stored } of answers) expect(stored.id).toBe(ids.get(key));
}

describe("two hundred concurrent drafts on a machine that is busy with other programs", () => {
  it(
    "are all stored, late rather than refused, none lost and none twice, with distinct and with identical keys",
    async () => {
      const server = await servers.open(production);
      const { accountId, apiKey } = await servers.newKey();
      occupyMachine(server);
      const answers = await Promise.all(
        Array.from({ length: burst }, async (_, n) => {
          // Ninety keys once, ten keys seven times, one key forty times.
          const key = `idempotency-key-${n < 100 ? n : n < 160 ? n % 10 : "forty"}`;
          return { key, stored: await store(server, apiKey, key) };
        }),
      );
      await expectStoredOnce(accountId, answers);
      await server.stop();
    },
    timeout,
  );

  it("are all stored when the machine does not run the server for three seconds", async () => {
    const server = await servers.open(production);
    const { accountId, apiKey } = await servers.newKey();
    const asked = Array.from({ length: burst }, async (_, n) => {
      const key = `idempotency-key-${n}`;
      return { key, stored: await store(server, apiKey, key) };
    });
    await Promise.race(asked);
    process.kill(server.pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    process.kill(server.pid, "SIGCONT");
    await expectStoredOnce(accountId, await Promise.all(asked));
    await server.stop();
  });
});

describe("two hundred concurrent unsigned transactions on a machine that is busy with other programs", () => {
  it(
    "are all answered, late rather than refused",
    async () => {
      const stack = await startTestStack({ heartbeatMs: 0 });
      onTestFinished(() => stack.close());
      // The chain shares the busy machine; in production, an endpoint has a separate machine.
      const server = await stack.openServer({ ...production, RPC_TIMEOUT_MS: "120000" });
      onTestFinished(() => server.close());
      const wallet = wallets[0]!.address;
      const draft = await server.call("POST", "/intents", {
        name: "Kite",
        symbol: "KITE",
        image_uri: "ipfs://bafy",
        chain_id: stack.manifest.chain_id,
        recipients: [{ provider: "wallet", wallet, share_bps: 10_000 }],
      });
      const request = { intent_id: draft.body.id, wallet };
      expect((await server.call("POST", "/splits/transactions", request)).status).toBe(200);
      occupyMachine();
      const answers = await Promise.all(
        Array.from({ length: burst }, () => server.call("POST", "/splits/transactions", request)),
      );
      const statuses = new Set(answers.map(({ status, body }) => `${status} ${body.error?.message ?? ""}`));
      expect([...statuses]).toEqual(["200 "]);
    },
    timeout,
  );
});
