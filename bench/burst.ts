import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import pg from "pg";
import { openTestDatabase } from "../tests/support/database/openTestDatabase.ts";
import { percentile } from "./percentile.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * Sends a burst of drafts to a server that has just started, on a quiet machine and beside programs that keep it busy:
 * `node bench/burst.ts [--requests 200] [--busy 2]`.
 */
const { values } = parseArgs({
  options: { requests: { type: "string", default: "200" }, busy: { type: "string", default: "2" } },
});

const database = await openTestDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 1 });
pool.on("error", () => undefined);

async function createKey(): Promise<string> {
  const { key, ...stored } = createApiKeySecret({ bytes: randomBytes });
  const owner = { accountId: randomUUID(), name: "bench", keyId: randomUUID(), keyName: "bench" };
  await createAccount(pool, { ...owner, ...stored, scopes: ["read", "write"] });
  return key;
}

async function store(baseUrl: string, apiKey: string, idempotencyKey: string) {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}/intents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify({ name: "Kite", symbol: "KITE", image_uri: "ipfs://bafy", chain_id: 46630 }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - startedAt };
}

async function measure(busy: number, createIdempotencyKey: (index: number) => string) {
  const settings = { ROLES: "api", DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:9", LOG_LEVEL: "fatal" };
  const server = await startServerProcess(settings);
  const programs: ChildProcess[] = [];
  try {
    const apiKey = await createKey();
    for (let n = 0; n < busy; n++) {
      programs.push(spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }));
    }
    // The other programs get a higher priority.
    if (busy > 0) setPriority(server.child.pid!, 5);
    const answers = await Promise.all(
      Array.from({ length: Number(values.requests) }, (_, index) =>
        store(server.baseUrl, apiKey, createIdempotencyKey(index)),
      ),
    );
    const times = answers.map(({ ms }) => ms);
    const [p50, p90, max] = [0.5, 0.9, 1].map((share) => Math.round(percentile(times, share)));
    return {
      refused: answers.filter(({ status }) => status >= 300).length,
      "p50 ms": p50,
      "p90 ms": p90,
      "max ms": max,
    };
  } finally {
    for (const program of programs) program.kill("SIGKILL");
    await server.stop();
  }
}

try {
  const table: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const busy of [0, Number(values.busy)]) {
    table[`distinct keys, ${busy} busy programs`] = await measure(busy, (index) => `idempotency-key-${index}`);
    table[`one key, ${busy} busy programs`] = await measure(busy, () => "idempotency-key");
  }
  console.table(table);
} finally {
  await pool.end();
  await database.drop();
}
